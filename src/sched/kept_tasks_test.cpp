// SPDX-License-Identifier: Apache-2.0
#include "sched/kept_tasks.hpp"

#include <doctest/doctest.h>

using myr::sched::KeptTasks;

namespace {

void push(KeptTasks& kept, myr::proto::TaskId task, std::uint32_t rank, unsigned home_depth) {
  myr::proto::Work work;
  work.task = task;
  kept.push(std::move(work), rank, home_depth);
}

}  // namespace

TEST_CASE("the highest rank goes first, and of one rank the oldest, wherever their homes are") {
  KeptTasks kept;
  push(kept, 1, 0, 2);
  push(kept, 2, 5, 0);
  push(kept, 3, 5, 1);
  push(kept, 4, 5, 0);
  push(kept, 5, 9, 1);
  for (const myr::proto::TaskId task : {5, 2, 3, 4, 1}) CHECK(kept.pop().task == task);
  CHECK(kept.size() == 0);
}

TEST_CASE("others get the oldest of the lowest rank, of those whose homes are high enough") {
  KeptTasks kept;
  push(kept, 1, 0, 2);
  push(kept, 2, 7, 1);
  push(kept, 3, 4, 1);
  push(kept, 4, 4, 1);
  CHECK_FALSE(kept.pop_for(0));
  for (const myr::proto::TaskId task : {3, 4, 2}) CHECK(kept.pop_for(1)->task == task);
  CHECK_FALSE(kept.pop_for(1));
  CHECK(kept.size() == 1);
  CHECK(kept.pop().task == 1);
}
