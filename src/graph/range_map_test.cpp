// SPDX-License-Identifier: Apache-2.0
#include "deps/range_map.hpp"

#include "graph/test_tasks.hpp"
#include "graph/users.hpp"

using namespace myr;
using namespace myr::graph;

namespace {

using RangeMap = deps::RangeMap<Users>;

constexpr deps::Bytes kEverything{0, ~std::uint64_t{0}};

struct Use {
  std::uint64_t begin;
  std::uint64_t end;
  bool writes;
  Group way = Group::None;
};

bool conflicts(const Use& a, const Use& b) {
  const bool in_group = a.way != Group::None && a.way == b.way;
  return a.begin < b.end && b.begin < a.end && (a.writes || b.writes) && !in_group;
}

// The map and the plain list of what was entered into it.
class Bench {
 public:
  explicit Bench(TestTasks& supply) : scenario_(supply) {}

  // Enters all uses of one task. Returns whether what the map reported is right.
  bool enter(const std::vector<Use>& uses) {
    const TaskRef task = scenario_.next();
    Scenario::Sink sink(scenario_, task);
    Scenario::Set expected = 0;
    for (const Use& use : uses) {
      expected |= users(use);
      map_.enter({use.begin, use.end}, use.writes, use.way, sink);
    }
    reported_ = sink.reported();
    const bool right = scenario_.accepts(reported_, expected);
    scenario_.settle(task, reported_);
    entered_.push_back(uses);
    return right;
  }
  // For the last task entered.
  [[nodiscard]] Scenario::Set reported() const { return reported_; }
  void clear() {
    map_.clear();
    for (std::vector<Use>& uses : entered_) uses.clear();
  }
  [[nodiscard]] const RangeMap& map() const { return map_; }
  [[nodiscard]] Scenario& scenario() { return scenario_; }

 private:
  [[nodiscard]] Scenario::Set users(const Use& wanted) const {
    Scenario::Set users = 0;
    for (std::size_t task = 0; task < entered_.size(); ++task) {
      for (const Use& use : entered_[task]) {
        if (conflicts(use, wanted)) users |= Scenario::Set{1} << task;
      }
    }
    return users;
  }
  RangeMap map_;
  Scenario scenario_;
  std::vector<std::vector<Use>> entered_;
  Scenario::Set reported_ = 0;
};

}  // namespace

TEST_CASE("an empty map knows of nobody") {
  TestTasks tasks;
  Bench bench(tasks);
  CHECK(bench.map().empty());
  bench.map().visit(kEverything, [](const Users&) { FAIL("there is no fragment"); });
}

TEST_CASE("ranges conflict in the bytes that they share") {
  TestTasks tasks;
  Bench bench(tasks);
  CHECK(bench.enter({{10, 20, true}}));
  CHECK(bench.enter({{20, 30, true}}));  // beside it
  CHECK(bench.enter({{19, 21, true}}));  // over the border
  CHECK(bench.enter({{0, 100, false}}));
  CHECK(bench.enter({{5, 6, false}}));
  CHECK(bench.enter({{0, 100, true}}));
}

TEST_CASE("the uses of one task may overlap") {
  TestTasks tasks;
  Bench bench(tasks);
  CHECK(bench.enter({{0, 10, true}, {5, 15, false}, {5, 10, true}}));
  CHECK(bench.enter({{0, 15, false}, {7, 8, true}, {0, 15, false}}));
  CHECK(bench.enter({{0, 15, true}}));
}

TEST_CASE("who comes behind a writer waits for the writer alone") {
  TestTasks tasks;
  Bench bench(tasks);
  CHECK(bench.enter({{0, 50, true}}));
  CHECK(bench.enter({{0, 50, false}}));
  CHECK(bench.enter({{20, 30, false}}));
  CHECK(bench.enter({{0, 100, true}}));
  const Scenario::Set writer = 1 << 3;
  CHECK(bench.enter({{20, 25, true}}));
  CHECK(bench.reported() == writer);
  CHECK(bench.enter({{30, 40, false}}));
  CHECK(bench.reported() == writer);
}

TEST_CASE("blocks used again and again make no more fragments") {
  TestTasks tasks;
  Bench bench(tasks);
  for (int round = 0; round < 4; ++round) {
    for (std::uint64_t block = 0; block < 10; ++block) {
      CHECK(bench.enter({{100 * block, 100 * block + 100, round % 2 == 0}}));
    }
  }
  CHECK(bench.map().size() == 10);
}

TEST_CASE("a cleared map starts anew") {
  TestTasks tasks;
  Bench bench(tasks);
  CHECK(bench.enter({{0, 1000, true}}));
  bench.clear();
  CHECK(bench.map().empty());
  CHECK(bench.enter({{10, 20, true}}));
  CHECK(bench.enter({{15, 30, true}}));
  CHECK(bench.map().size() == 3);
}

TEST_CASE("fragments of complete tasks are dropped, so a map does not grow for ever") {
  TestTasks tasks;
  RangeMap map;
  Scenario nobody(tasks);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const TaskRef task = tasks.make_ref();
    Scenario::Sink sink(nobody, task);
    map.enter({10 * i, 10 * i + 5}, i % 2 == 0, Group::None, sink);
    tasks.complete(task);
  }
  CHECK(map.size() <= 65);
}

// Tiles, windows over them, all of them and their halves, in all ways: spans in spans, and across.
TEST_CASE("a map agrees with a list of all uses of tiles and windows") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  TestTasks tasks;
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    Bench bench(tasks);
    const std::uint64_t tile = 8;
    const std::uint64_t tiles = round % 2 == 0 ? 40 : 600;
    const auto any_way = [&](std::uint64_t begin, std::uint64_t end) {
      const bool writes = below(3) == 0;
      return Use{begin, end, writes, writes ? static_cast<Group>(below(3)) : Group::None};
    };
    std::vector<Use> first;
    for (std::uint64_t i = 0; i < tiles; ++i) first.push_back({tile * i, tile * (i + 1), true});
    REQUIRE(bench.enter(first));
    while (bench.scenario().count() < 60) {
      std::vector<Use> uses;
      for (std::uint64_t i = below(6) + 1; i > 0; --i) {
        const std::uint64_t begin = below(tiles) * tile;
        uses.push_back(any_way(begin + below(8) / 7, begin + tile));
      }
      if (below(2) == 0) {
        const std::uint64_t begin = below(tiles / 2);
        const std::uint64_t count = below(3) == 0 ? tiles / 2 : 1 + below(tiles - begin);
        uses.push_back(any_way(begin * tile, (begin + count) * tile));
      }
      if (below(6) == 0) uses.push_back(any_way(0, tiles * tile));
      REQUIRE(bench.enter(uses));
      while (below(3) == 0) bench.scenario().complete_one(below(bench.scenario().count()));
    }
  }
}

TEST_CASE("a map agrees with a list of all uses, byte by byte") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  TestTasks tasks;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    Bench bench(tasks);
    const bool wide = round % 8 == 0;  // many fragments; else many conflicts
    const std::uint64_t bytes = wide ? 3000 : 60;
    const std::uint64_t uses_max = wide ? 40 : 6;
    const std::uint64_t length_max = round % 2 == 0 ? bytes / 4 : 5;
    while (bench.scenario().count() < 60) {
      std::vector<Use> uses;
      for (std::uint64_t i = below(uses_max) + 1; i > 0; --i) {
        const std::uint64_t begin = below(bytes);
        uses.push_back({begin, begin + 1 + below(length_max), below(3) == 0});
      }
      // All of it, or half of it, as others use it: that is where spans come from.
      if (below(4) == 0) {
        const std::uint64_t begin = below(2) * bytes / 2;
        uses.push_back({begin, begin + bytes / (1 + below(2)), below(4) == 0});
      }
      REQUIRE(bench.enter(uses));
      while (below(3) == 0) bench.scenario().complete_one(below(bench.scenario().count()));
    }
  }
}
