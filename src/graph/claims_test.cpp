// SPDX-License-Identifier: Apache-2.0
#include "graph/claims.hpp"

#include <algorithm>
#include <deque>

#include "graph/test_tasks.hpp"

using namespace myr;
using namespace myr::graph;

namespace {

char claimed_bytes[1000];

myr_access claiming(std::size_t from, std::size_t to) {
  return myr_commutative_range(&claimed_bytes[from], to - from);
}

// A task with these accesses, ready except for its claims.
Task* make_claimant(TestTasks& supply, const std::vector<myr_access>& accesses) {
  Task* task = supply.make(accesses.size() * sizeof(myr_access));
  task->access_count = static_cast<std::uint32_t>(accesses.size());
  task->access_offset = Task::kHeaderBytes;
  std::copy(accesses.begin(), accesses.end(), task->accesses());
  return task;
}

std::vector<Task*> listed(Task* first) {
  std::vector<Task*> tasks;
  for (; first != nullptr; first = first->next) tasks.push_back(first);
  return tasks;
}

}  // namespace

TEST_CASE("one at a time has the memory, and who is parked gets it in turn") {
  TestTasks supply;
  Claims claims;
  Task* first = make_claimant(supply, {claiming(0, 10)});
  Task* second = make_claimant(supply, {claiming(5, 20)});
  Task* third = make_claimant(supply, {claiming(0, 10)});
  Task* beside = make_claimant(supply, {claiming(20, 30), myr_commutative_region(3)});
  CHECK(claims.take(first));
  CHECK_FALSE(claims.take(second));
  CHECK_FALSE(claims.take(third));
  CHECK(claims.take(beside));
  Task* region = make_claimant(supply, {myr_commutative_region(3)});
  CHECK_FALSE(claims.take(region));
  CHECK(listed(claims.give_up(first)) == std::vector{second});
  CHECK(listed(claims.give_up(second)) == std::vector{third});
  CHECK(listed(claims.give_up(third)).empty());
  CHECK(listed(claims.give_up(beside)) == std::vector{region});
  CHECK(listed(claims.give_up(region)).empty());
}

TEST_CASE("a task may name the same memory twice, and other memory besides") {
  TestTasks supply;
  Claims claims;
  Task* task = make_claimant(supply, {claiming(0, 10), myr_in_range(claimed_bytes, 1000),
                                      claiming(0, 10), claiming(8, 12)});
  Task* other = make_claimant(supply, {claiming(11, 12)});
  Task* apart = make_claimant(supply, {claiming(12, 13)});
  CHECK(claims.take(task));
  CHECK_FALSE(claims.take(other));
  CHECK(claims.take(apart));
  CHECK(listed(claims.give_up(task)) == std::vector{other});
}

TEST_CASE("those who are set free together run together if they may") {
  TestTasks supply;
  Claims claims;
  Task* wide = make_claimant(supply, {claiming(0, 100), claiming(200, 300)});
  Task* left = make_claimant(supply, {claiming(0, 50)});
  Task* right = make_claimant(supply, {claiming(200, 250)});
  CHECK(claims.take(wide));
  CHECK_FALSE(claims.take(left));
  CHECK_FALSE(claims.take(right));
  CHECK(listed(claims.give_up(wide)).size() == 2);
}

TEST_CASE("random tasks all get their turn, and no two have the same memory") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  TestTasks supply;
  Claims claims;
  std::vector<Task*> running;
  std::size_t parked = 0;
  const auto overlap = [](Task* a, Task* b) {
    for (std::uint32_t i = 0; i < a->access_count; ++i) {
      for (std::uint32_t j = 0; j < b->access_count; ++j) {
        const myr_access& x = a->accesses()[i];
        const myr_access& y = b->accesses()[j];
        const auto* x_first = static_cast<char*>(x.address);
        const auto* y_first = static_cast<char*>(y.address);
        if (x_first < y_first + y.bytes && y_first < x_first + x.bytes) return true;
      }
    }
    return false;
  };
  const auto start = [&](Task* task) {
    for (Task* other : running) REQUIRE_FALSE(overlap(task, other));
    running.push_back(task);
  };
  for (int step = 0; step < 4000 || !running.empty(); ++step) {
    if (step < 4000 && random() % 2 == 0) {
      std::vector<myr_access> accesses;
      for (std::size_t i = 0; i <= random() % 3; ++i) {
        const std::size_t from = random() % 900;
        accesses.push_back(claiming(from, from + 1 + random() % 60));
      }
      Task* task = make_claimant(supply, accesses);
      if (claims.take(task)) {
        start(task);
      } else {
        parked += 1;
      }
    } else if (!running.empty()) {
      std::swap(running[random() % running.size()], running.back());
      Task* task = running.back();
      running.pop_back();
      for (Task* next = claims.give_up(task); next != nullptr;) {
        Task* const behind = next->next;
        start(next);
        parked -= 1;
        next = behind;
      }
    }
  }
  CHECK(parked == 0);
}
