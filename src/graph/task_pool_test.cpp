// SPDX-License-Identifier: Apache-2.0
#include "graph/task_pool.hpp"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <set>
#include <vector>

#include "base/sanitized.hpp"
#include "graph/test_tasks.hpp"

using namespace myr::graph;

TEST_CASE("memory for a task is aligned, large enough and named by its granule") {
  TestTasks tasks;
  for (std::size_t payload = 0; payload < 6000; payload = payload * 5 / 4 + 1) {
    Task* task = tasks.make(payload);
    CHECK(reinterpret_cast<std::uintptr_t>(task) % 64 == 0);
    CHECK(TaskArena::task(TaskArena::granule(task)) == task);
    CHECK(TaskArena::edge(TaskArena::granule(&task->edge)) == &task->edge);
    const bool external = (task->flags & kExternal) != 0;
    CHECK(external == (Task::kHeaderBytes + payload > 4096));
    if (!external) {
      CHECK(Task::kHeaderBytes + payload <= TaskPool::class_bytes(task->size_class));
    }
    std::memset(task->closure(), 1, payload);
    CHECK(task->interior == nullptr);
    CHECK(task->extra_edges.load(myr::sync::relaxed) == nullptr);
    tasks.complete(TaskArena::ref(task));
  }
}

TEST_CASE("memory is used again, under another generation") {
  TestTasks tasks;
  std::set<Task*> first;
  for (int i = 0; i < 1000; ++i) first.insert(tasks.make(300));
  CHECK(first.size() == 1000);
  std::set<std::uint64_t> refs;
  for (int round = 0; round < 3; ++round) {
    for (Task* task : first) {
      const TaskRef ref = TaskArena::ref(task);
      CHECK(refs.insert(ref.bits).second);
      CHECK_FALSE(TaskArena::is_complete(ref));
      tasks.complete(ref);
      CHECK(TaskArena::is_complete(ref));
    }
    std::set<Task*> again;
    for (int i = 0; i < 1000; ++i) again.insert(tasks.make(300));
    CHECK(again == first);
  }
}

TEST_CASE("a pool sees what is left of a task whose memory is free") {
  TestTasks tasks;
  Task* const task = tasks.make();
  tasks.complete(TaskArena::ref(task));
  CHECK(tasks.pool().broken_invariant() == nullptr);
  task->extra_edges.store(task, myr::sync::relaxed);
  CHECK(tasks.pool().broken_invariant() != nullptr);
  task->extra_edges.store(nullptr, myr::sync::relaxed);
  task->set(kExternal);
  CHECK(tasks.pool().broken_invariant() != nullptr);
  task->unset(kExternal);
  static_cast<void>(task->successors.close());
  CHECK(tasks.pool().broken_invariant() != nullptr);
  static_cast<void>(task->successors.complete());
  CHECK(tasks.pool().broken_invariant() == nullptr);
}

namespace {

// ThreadSanitizer and AddressSanitizer have memory of their own for each page.
constexpr bool kCountsPages = !myr::base::kIsSanitized;

std::size_t resident_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm").ignore(64, ' ') >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("what was wanted once, and not since, goes to the system; it is there when wanted") {
  constexpr std::size_t kTasks = 400'000;  // 50 MB
  constexpr std::size_t kMost = kTasks * 128;
  TestTasks tasks;
  std::vector<TaskRef> refs;
  refs.reserve(2 * kTasks);
  const auto fill = [&] {
    for (std::size_t i = 0; i < kTasks; ++i) refs.push_back(tasks.make_ref());
  };
  const auto empty = [&](std::size_t from) {
    for (std::size_t i = from; i < refs.size(); ++i) tasks.complete(refs[i]);
  };
  fill();
  empty(0);
  const std::size_t peak = resident_bytes();
  tasks.pool().trim_now();  // it was wanted
  if (kCountsPages) CHECK(resident_bytes() + kMost / 2 > peak);
  TaskRef one = tasks.make_ref();  // keeps its chunk
  tasks.pool().trim_now();
  if (kCountsPages) CHECK(resident_bytes() + kMost * 3 / 4 < peak);
  for (const TaskRef ref : refs) CHECK(TaskArena::is_complete(ref));
  CHECK_FALSE(TaskArena::is_complete(one));
  // In the same places, and nobody takes the new ones for those.
  const std::size_t before = refs.size();
  fill();
  if (kCountsPages) CHECK(resident_bytes() < peak + kMost / 4);
  std::set<std::uint64_t> different;
  for (const TaskRef ref : refs) different.insert(ref.bits);
  CHECK(different.size() == refs.size());
  for (std::size_t i = 0; i < before; ++i) CHECK(TaskArena::is_complete(refs[i]));
  for (std::size_t i = before; i < refs.size(); ++i) CHECK_FALSE(TaskArena::is_complete(refs[i]));
  empty(before);
  tasks.complete(one);
}

TEST_CASE("sizes do not share memory") {
  TestTasks tasks;
  Task* small = tasks.make(1);
  Task* large = tasks.make(3000);
  tasks.complete(TaskArena::ref(small));
  tasks.complete(TaskArena::ref(large));
  CHECK(tasks.make(3000) == large);
  CHECK(tasks.make(1) == small);
}

TEST_CASE("a large payload lives in a block of its own, which ends with the task") {
  TestTasks tasks;
  for (int round = 0; round < 3; ++round) {
    Task* task = tasks.make(100'000);
    CHECK((task->flags & kExternal) != 0);
    std::memset(task->closure(), round, 100'000);
    tasks.complete(TaskArena::ref(task));  // AddressSanitizer sees that the block is freed
    task = tasks.make(0);
    CHECK((task->flags & kExternal) == 0);
    tasks.complete(TaskArena::ref(task));
  }
}
