// SPDX-License-Identifier: Apache-2.0
//
// The order among siblings, against one that compares each child with all before it.
#include "sched/sibling_ranges.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using namespace myr;  // NOLINT(google-build-using-namespace)
using proto::Mode;
using proto::TaskId;
using proto::UsedRange;
using sched::SiblingRanges;

using Ranges = std::vector<UsedRange>;

bool conflict(const UsedRange& a, const UsedRange& b) {
  return proto::overlap(a, b) && (a.mode == Mode::Write || b.mode == Mode::Write);
}

// Which children wait for which, by the definition.
class Reference {
 public:
  bool enter(TaskId child, const Ranges& ranges) {
    std::set<TaskId>& elders = elders_[child];
    for (const auto& [elder, theirs] : uses_) {
      for (const UsedRange& a : theirs) {
        for (const UsedRange& b : ranges) {
          if (conflict(a, b)) elders.insert(elder);
        }
      }
    }
    uses_[child] = ranges;
    return !elders.empty();
  }
  std::vector<TaskId> complete(TaskId child) {
    uses_.erase(child);
    elders_.erase(child);
    std::vector<TaskId> released;
    for (auto& [other, elders] : elders_) {
      if (elders.erase(child) != 0 && elders.empty()) released.push_back(other);
    }
    return released;
  }
  std::set<TaskId> users_of(const UsedRange& range) const {
    std::set<TaskId> users;
    for (const auto& [child, ranges] : uses_) {
      for (const UsedRange& own : ranges) {
        if (proto::overlap(own, range)) users.insert(child);
      }
    }
    return users;
  }

 private:
  std::map<TaskId, Ranges> uses_;
  std::map<TaskId, std::set<TaskId>> elders_;  // that have not completed
};

proto::Task make_child(TaskId id, const Ranges& ranges) {
  proto::Task task;
  task.id = id;
  task.program = 1000 + id;
  task.ranges = ranges;
  return task;
}

UsedRange write_to(std::uint64_t address, std::uint64_t bytes) {
  return {.address = address, .bytes = bytes, .mode = Mode::Write};
}
UsedRange read_of(std::uint64_t address, std::uint64_t bytes) {
  return {.address = address, .bytes = bytes, .mode = Mode::Read};
}

// One program: children come, and those that run complete, whenever chance wants.
class Trial {
 public:
  explicit Trial(std::uint64_t seed)
      : random_(seed), space_(8 + below(120)), write_percent_(below(101)) {}

  void run() {
    const std::uint64_t children = 1 + below(150);
    const std::uint64_t spawn_percent = 30 + below(60);
    while (next_ <= children || !running_.empty()) {
      const bool spawns = next_ <= children && (running_.empty() || below(100) < spawn_percent);
      if (spawns) {
        spawn();
      } else {
        complete();
      }
      check_user();
    }
    CHECK(waiting_.empty());
    CHECK(ranges_.fragment_count() == 0);
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  // Now and then all bytes, or one of the halves, as others use them.
  UsedRange any_range() {
    const bool is_common = below(4) == 0;
    const std::uint64_t first = is_common ? below(2) * (space_ / 2) : below(space_);
    const std::uint64_t some = 1 + below(below(3) == 0 ? space_ - first : 4);
    return {.address = 1000 + first,
            .bytes = is_common ? space_ / (1 + below(2)) : some,
            .mode = below(100) < write_percent_ ? Mode::Write : Mode::Read};
  }
  void spawn() {
    Ranges own(below(5));
    std::generate(own.begin(), own.end(), [&] { return any_range(); });
    const TaskId child = next_++;
    const bool waits = ranges_.enter(make_child(child, own));
    CHECK(waits == reference_.enter(child, own));
    if (waits) {
      waiting_.insert(child);
    } else {
      running_.push_back(child);
    }
  }
  void complete() {
    std::swap(running_[below(running_.size())], running_.back());
    const TaskId child = running_.back();
    running_.pop_back();
    std::vector<TaskId> released = ranges_.complete(child);
    std::sort(released.begin(), released.end());
    CHECK(released == reference_.complete(child));
    for (const TaskId other : released) {
      waiting_.erase(other);
      running_.push_back(other);
    }
  }
  void check_user() {
    const UsedRange range = any_range();
    const std::set<TaskId> users = reference_.users_of(range);
    const auto found = ranges_.user_of(range);
    REQUIRE(found.has_value() == !users.empty());
    if (found) CHECK(users.contains(*found - 1000));
  }

  std::mt19937_64 random_;
  std::uint64_t space_;
  std::uint64_t write_percent_;
  SiblingRanges ranges_;
  Reference reference_;
  TaskId next_ = 1;
  std::vector<TaskId> running_;
  std::set<TaskId> waiting_;
};

}  // namespace

TEST_CASE("who uses what its parent hands on waits for the stand-in, also to read") {
  SiblingRanges siblings;
  siblings.stand_in(make_child(9, {read_of(100, 10), write_to(200, 10)}));
  CHECK(siblings.enter(make_child(1, {read_of(104, 2)})));
  CHECK(siblings.enter(make_child(2, {read_of(208, 8)})));
  CHECK(!siblings.enter(make_child(3, {write_to(300, 8)})));
  CHECK(siblings.user_of(read_of(100, 1)) == 1009);
  CHECK(siblings.complete(9) == std::vector<TaskId>{1, 2});
}

TEST_CASE("children wait as if each were compared with all before it") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    CAPTURE(i);
    Trial(seed + i).run();
  }
}

TEST_CASE("a child is not in its own way") {
  SiblingRanges ranges;
  CHECK_FALSE(ranges.enter(make_child(1, {read_of(0, 10), write_to(5, 10), read_of(0, 20)})));
  CHECK(ranges.enter(make_child(2, {write_to(0, 2), write_to(18, 2)})));
  CHECK(ranges.complete(1) == std::vector<TaskId>{2});
}

TEST_CASE("a range without bytes is nobody's") {
  SiblingRanges ranges;
  CHECK_FALSE(ranges.enter(make_child(1, {write_to(0, 100)})));
  CHECK_FALSE(ranges.enter(make_child(2, {write_to(50, 0)})));
}

// With a look at all siblings for each, this would take hours.
TEST_CASE("hundreds of thousands of siblings at a time") {
  constexpr TaskId kChildren = 300'000;
  SiblingRanges ranges;
  static_cast<void>(ranges.enter(make_child(1, {write_to(0, kChildren)})));
  for (TaskId child = 2; child <= kChildren; ++child) {
    const UsedRange everything =
        child % 2 == 0 ? read_of(kChildren, 8) : write_to(2 * kChildren, 8);
    CHECK(ranges.enter(make_child(child, {write_to(child - 1, 1), everything})));
  }
  CHECK(ranges.complete(1).size() >= 2);
}

namespace {

// As many writers of a part each as these readers behind them, three times over. Returns how
// many edges they make for each child.
std::size_t edges_per_child(TaskId count, UsedRange (*range_of_reader)(TaskId)) {
  SiblingRanges ranges;
  TaskId child = 0;
  for (int round = 0; round < 3; ++round) {
    for (TaskId i = 0; i < count; ++i) {
      static_cast<void>(ranges.enter(make_child(++child, {write_to(8 * i, 8)})));
    }
    for (TaskId i = 0; i < count; ++i) {
      CHECK(ranges.enter(make_child(++child, {range_of_reader(i)})));
    }
  }
  CHECK(ranges.user_of(read_of(0, 8)).has_value());
  return ranges.edge_count() / child;
}

constexpr TaskId kGroup = 1'000;

}  // namespace

TEST_CASE("writers of parts and readers of all of them make as many edges as they are") {
  CHECK(edges_per_child(kGroup, [](TaskId) { return read_of(0, 8 * kGroup); }) < 6);
}

TEST_CASE("writers of parts and readers of windows over them make edges for their logarithm") {
  CHECK(edges_per_child(kGroup, [](TaskId i) { return read_of(i / 2 * 8, 4 * kGroup); }) < 40);
}

TEST_CASE("what has completed is forgotten") {
  SiblingRanges ranges;
  static_cast<void>(ranges.enter(make_child(1, {read_of(0, 8)})));
  for (TaskId child = 2; child < 10'000; ++child) {
    CHECK_FALSE(ranges.enter(make_child(child, {read_of(0, 8), write_to(8 * child, 8)})));
    CHECK(ranges.complete(child).empty());
    REQUIRE(ranges.fragment_count() < 200);
  }
}
