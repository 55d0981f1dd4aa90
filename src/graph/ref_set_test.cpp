// SPDX-License-Identifier: Apache-2.0
#include "graph/ref_set.hpp"

#include <algorithm>
#include <utility>

#include "graph/test_tasks.hpp"

using namespace myr::graph;

namespace {

std::vector<TaskRef> content(const RefSet& set) {
  std::vector<TaskRef> refs;
  set.for_each([&](TaskRef ref) { refs.push_back(ref); });
  return refs;
}

}  // namespace

TEST_CASE("a set holds none, one or many tasks") {
  TestTasks tasks;
  RefSet set;
  CHECK(set.empty());
  CHECK(content(set).empty());
  std::vector<TaskRef> added;
  for (int i = 0; i < 100; ++i) {
    added.push_back(tasks.make_ref());
    set.add(added.back());
    set.add(added.back());  // twice in a row is once
    CHECK_FALSE(set.empty());
    CHECK(content(set) == added);
  }
  set.clear();
  CHECK(set.empty());
  set.add(added[5]);
  CHECK(content(set) == std::vector{added[5]});
}

TEST_CASE("copies are apart, moves leave nothing behind") {
  TestTasks tasks;
  for (int count : {0, 1, 20}) {
    RefSet set;
    for (int i = 0; i < count; ++i) set.add(tasks.make_ref());
    const std::vector<TaskRef> before = content(set);
    RefSet copy(set);
    copy.add(tasks.make_ref());
    CHECK(content(set) == before);
    CHECK(content(copy).size() == before.size() + 1);
    RefSet moved(std::move(set));
    CHECK(content(moved) == before);
    RefSet target;
    target.add(tasks.make_ref());
    target = std::move(moved);
    CHECK(content(target) == before);
  }
}

TEST_CASE("a set is live as long as one of its tasks is") {
  TestTasks tasks;
  RefSet set;
  CHECK_FALSE(set.any_live());
  std::vector<TaskRef> added;
  for (int i = 0; i < 10; ++i) {
    added.push_back(tasks.make_ref());
    set.add(added.back());
  }
  for (const TaskRef ref : added) {
    CHECK(set.any_live());
    tasks.complete(ref);
  }
  CHECK_FALSE(set.any_live());
}

TEST_CASE("complete tasks are dropped, so a set does not grow for ever") {
  TestTasks tasks;
  RefSet set;
  const TaskRef stays = tasks.make_ref();
  set.add(stays);
  std::vector<TaskRef> live;
  for (int i = 0; i < 10'000; ++i) {
    live.push_back(tasks.make_ref());
    set.add(live.back());
    if (live.size() == 8) {
      tasks.complete(live.front());
      live.erase(live.begin());
    }
  }
  const std::vector<TaskRef> kept = content(set);
  CHECK(kept.size() <= 64);
  CHECK(kept.front() == stays);
  for (const TaskRef ref : live) CHECK(std::find(kept.begin(), kept.end(), ref) != kept.end());
}

TEST_CASE("a task in the memory of a complete one is another task") {
  TestTasks tasks;
  const TaskRef first = tasks.make_ref();
  tasks.complete(first);
  const TaskRef second = tasks.make_ref();
  REQUIRE(second.granule() == first.granule());
  CHECK_FALSE(second == first);
  CHECK(TaskArena::is_complete(first));
  CHECK_FALSE(TaskArena::is_complete(second));
}
