// SPDX-License-Identifier: Apache-2.0
//
// The task calls of myr.h.
#include "base/shared_word.hpp"
#include "graph/resolve.hpp"
#include "runtime/runtime.hpp"

using myr::engine::Worker;
using myr::graph::Task;

namespace {

Task* task_of(myr_draft draft) noexcept { return static_cast<Task*>(draft.task); }

// The caller has just written the accesses, a word at a time, and the last of them are not in the
// cache yet: a load of both words of one at once would have to wait until they are.
constexpr size_t kJustWritten = 2;

void copy_accesses(const myr_access* from, size_t count, myr_access* to) noexcept {
  size_t i = 0;
  for (; i + kJustWritten < count; ++i) to[i] = from[i];
  for (; i < count; ++i) {
    to[i].address = myr::base::load_shared(from[i].address);
    myr::graph::length_word(to[i]) = myr::base::load_shared(myr::graph::length_word(from[i]));
  }
}

}  // namespace

myr_draft myr_draft_new(size_t closure_bytes, size_t access_count) {
  Task* task = myr::runtime::worker(nullptr).draft(closure_bytes, access_count);
  return {task->closure(), task->accesses(), task};
}

void myr_submit_at(myr_draft draft, myr_body body, const myr_site* site) {
  Task* task = task_of(draft);
  task->body = body;
  task->site = site;
  Worker::current()->submit(task);
}

void myr_spawn_at(myr_function function, const myr_access* accesses, size_t count,
                  const myr_site* site) {
  Worker& worker = myr::runtime::worker(site);
  Task* task = worker.draft(0, count);
  task->flags = static_cast<std::uint8_t>(task->flags | myr::graph::kPlainFunction);
  task->function = function;
  task->site = site;
  copy_accesses(accesses, count, task->accesses());
  worker.submit(task);
}

void myr_wait_at(const myr_access* accesses, size_t count, const myr_site* site) {
  myr::runtime::worker(site).wait(accesses, count, site);
}

void myr_work(uint64_t) {}
uint64_t myr_cycles(void) { return 0; }

void myr_wait_all_at(const myr_site* site) { myr::runtime::worker(site).wait_all(); }

void myr_task_failed(void* new_exception_ptr) { Worker::current()->fail(new_exception_ptr); }

void* myr_take_failure(void) {
  const auto failure = myr::runtime::worker(nullptr).take_failure();
  return failure == nullptr ? nullptr : failure->exception;
}
