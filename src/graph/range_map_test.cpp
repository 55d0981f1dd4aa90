// SPDX-License-Identifier: Apache-2.0
#include "deps/range_map.hpp"

#include "graph/test_ranges.hpp"

using namespace myr;
using namespace myr::graph;

namespace {

using RangeMap = deps::RangeMap<Users>;

constexpr deps::Bytes kEverything{0, ~std::uint64_t{0}};

}  // namespace

TEST_CASE("an empty map knows of nobody") {
  TestTasks tasks;
  RangeBench bench(tasks);
  CHECK(bench.map().empty());
  bench.map().visit(kEverything, [](const Users&) { FAIL("there is no fragment"); });
}

TEST_CASE("ranges conflict in the bytes that they share") {
  TestTasks tasks;
  RangeBench bench(tasks);
  CHECK(bench.enter({{10, 20, true}}));
  CHECK(bench.enter({{20, 30, true}}));  // beside it
  CHECK(bench.enter({{19, 21, true}}));  // over the border
  CHECK(bench.enter({{0, 100, false}}));
  CHECK(bench.enter({{5, 6, false}}));
  CHECK(bench.enter({{0, 100, true}}));
}

TEST_CASE("the uses of one task may overlap") {
  TestTasks tasks;
  RangeBench bench(tasks);
  CHECK(bench.enter({{0, 10, true}, {5, 15, false}, {5, 10, true}}));
  CHECK(bench.enter({{0, 15, false}, {7, 8, true}, {0, 15, false}}));
  CHECK(bench.enter({{0, 15, true}}));
}

TEST_CASE("who comes behind a writer waits for the writer alone") {
  TestTasks tasks;
  RangeBench bench(tasks);
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
  RangeBench bench(tasks);
  for (int round = 0; round < 4; ++round) {
    for (std::uint64_t block = 0; block < 10; ++block) {
      CHECK(bench.enter({{100 * block, 100 * block + 100, round % 2 == 0}}));
    }
  }
  CHECK(bench.map().size() == 10);
}

TEST_CASE("a cleared map starts anew") {
  TestTasks tasks;
  RangeBench bench(tasks);
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
    RangeBench bench(tasks);
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
    RangeBench bench(tasks);
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

namespace {

// Uses so many small pieces, and so often all of them but a few, that the map becomes a tree.
std::vector<Use> make_tree(std::uint64_t bytes, std::uint64_t piece) {
  std::vector<Use> uses;
  for (std::uint64_t i = 0; i < bytes; i += piece) uses.push_back({i, i + piece, false});
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(8, bytes); ++i) {
    uses.push_back({i, bytes, false});
  }
  return uses;
}

}  // namespace

// Windows and rectangles of all sizes lie across each other, in all ways; some are of everything.
TEST_CASE("a tree agrees with a list of all uses") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  TestTasks tasks;
  std::size_t layers = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    RangeBench bench(tasks);
    const std::uint64_t row = 1 + below(40);
    const std::uint64_t rows = 10 + below(60);
    const std::uint64_t bytes = row * rows;
    const std::uint64_t writers = below(3) + 1;
    const auto any_way = [&](std::uint64_t begin, std::uint64_t end) {
      const bool writes = below(4) < writers;
      return Use{begin, end, writes, writes ? static_cast<Group>(below(5) % 3) : Group::None};
    };
    std::vector<Use> first;
    for (std::uint64_t i = 0; i < rows; ++i) {
      first.push_back({row * i, row * (i + 1), round % 2 == 0});
    }
    REQUIRE(bench.enter(first));
    REQUIRE(bench.enter(make_tree(bytes, 1 + below(8))));
    while (bench.scenario().count() < Scenario::kTasksMax) {
      std::vector<Use> uses;
      for (std::uint64_t i = below(4); i > 0; --i) {
        const std::uint64_t begin = below(bytes);
        uses.push_back(any_way(begin, begin + 1 + below(bytes - begin)));
      }
      if (below(3) == 0) {
        const Use one = any_way(below(row), 0);
        const std::uint64_t width = 1 + below(row - one.begin);
        for (std::uint64_t i = below(rows); i < rows && below(20) != 0; ++i) {
          const std::uint64_t begin = i * row + one.begin;
          uses.push_back({begin, begin + width, one.writes, one.way});
        }
      }
      if (below(8) == 0) uses.push_back(any_way(0, bytes));
      REQUIRE(bench.enter(uses));
      while (below(3) == 0) bench.scenario().complete_one(below(bench.scenario().count()));
    }
    layers = std::max(layers, bench.map().layers());
  }
  CHECK(layers > 2);
}

namespace {

// What it takes to note the uses of some tasks, none of which ends.
class Cost {
 public:
  explicit Cost(TestTasks& supply) : supply_(supply) {}
  ~Cost() { complete_but(0); }
  Cost(const Cost&) = delete;
  Cost& operator=(const Cost&) = delete;

  void enter(const Use& use) {
    Sink sink(*this, make());
    map_.enter({use.begin, use.end}, use.writes, use.way, sink);
  }
  // Completes all tasks, and joins, but so many.
  void complete_but(std::size_t count) {
    for (; completed_ + count < tasks_.size(); ++completed_) supply_.complete(tasks_[completed_]);
  }
  [[nodiscard]] std::size_t edges() const { return edges_; }
  [[nodiscard]] const RangeMap& map() const { return map_; }
  // How many users are noted, in fragments and spans.
  [[nodiscard]] std::size_t notes() const {
    std::size_t notes = 0;
    map_.visit(kEverything, [&](const Users& users) {
      users.for_each([&](bool, Group, TaskRef) { notes += 1; });
    });
    return notes;
  }

 private:
  class Sink final : public ConflictSink {
   public:
    Sink(Cost& cost, TaskRef self) : ConflictSink(self), cost_(cost) {}
    TaskRef join(const RefSet& members, const myr_access&) override {
      members.for_each([&](TaskRef) { cost_.edges_ += 1; });
      return cost_.make();
    }

   private:
    void wait_for(TaskRef) override { cost_.edges_ += 1; }
    Cost& cost_;
  };
  TaskRef make() {
    tasks_.push_back(supply_.make_ref());
    return tasks_.back();
  }

  TestTasks& supply_;
  std::vector<TaskRef> tasks_;
  std::size_t completed_ = 0;
  RangeMap map_;
  std::size_t edges_ = 0;
};

constexpr std::uint64_t kBytes = 1 << 20;

// Uses of tasks that follow each other, of so many in all.
struct Shape {
  const char* name;
  Use (*use)(std::mt19937& random, std::uint64_t task, std::uint64_t tasks);
};

// Somewhere, at most so many thousandths of all.
Use window(std::mt19937& random, std::uint64_t thousandths, bool writes, Group way = Group::None) {
  const std::uint64_t begin = random() % kBytes;
  const std::uint64_t length = 1 + random() % (kBytes / 1000 * thousandths);
  return {begin, std::min(begin + length, kBytes), writes, way};
}

const Shape kShapes[] = {
    {"readers of windows behind a writer of all",
     [](std::mt19937& random, std::uint64_t task, std::uint64_t) {
       return task == 0 ? Use{0, kBytes, true} : window(random, 600, false);
     }},
    {"windows used in any order",
     [](std::mt19937& random, std::uint64_t, std::uint64_t) {
       return window(random, 600, true, Group::Concurrent);
     }},
    {"windows in three ways",
     [](std::mt19937& random, std::uint64_t, std::uint64_t) {
       return window(random, 300, true, static_cast<Group>(random() % 3));
     }},
    {"readers of small windows, and few writers",
     [](std::mt19937& random, std::uint64_t, std::uint64_t) {
       return window(random, 40, random() % 100 == 0);
     }},
    {"readers of most, writers of little",
     [](std::mt19937& random, std::uint64_t task, std::uint64_t) {
       return task % 2 == 0 ? window(random, 900, false) : window(random, 1, true);
     }},
    {"writers of most, readers of little",
     [](std::mt19937& random, std::uint64_t task, std::uint64_t) {
       return task % 2 == 0 ? window(random, 900, true) : window(random, 1, false);
     }},
    {"writers of windows that slide",
     [](std::mt19937&, std::uint64_t task, std::uint64_t tasks) {
       return Use{8 * task, 8 * (task + tasks / 2), true};
     }},
    {"writers of parts, and then readers of all",
     [](std::mt19937&, std::uint64_t task, std::uint64_t tasks) {
       return task < tasks / 2 ? Use{8 * task, 8 * task + 8, true} : Use{0, 4 * tasks, false};
     }},
    {"writers of parts, and then readers of ever more of them, from the end",
     [](std::mt19937&, std::uint64_t task, std::uint64_t tasks) {
       if (task < tasks / 2) return Use{8 * task, 8 * task + 8, true};
       return Use{8 * (tasks - task - 1), 4 * tasks, false};
     }},
    {"many readers of all, and then readers of windows",
     [](std::mt19937& random, std::uint64_t task, std::uint64_t tasks) {
       return task < tasks / 2 ? Use{0, kBytes, false} : window(random, 600, false);
     }},
    {"many readers and a writer of all, in turn",
     [](std::mt19937& random, std::uint64_t task, std::uint64_t) {
       return task % 100 == 0 ? Use{0, kBytes, true} : window(random, 600, false);
     }},
};

}  // namespace

TEST_CASE("whatever ranges there are, each task costs about the logarithm of how many they are") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  constexpr std::uint64_t kFew = 1'000;
  constexpr std::uint64_t kTimes = 8;
  TestTasks tasks;
  for (const Shape& shape : kShapes) {
    CAPTURE(shape.name);
    std::mt19937 random(seed);
    Cost few(tasks);
    Cost many(tasks);
    for (std::uint64_t i = 0; i < kFew; ++i) few.enter(shape.use(random, i, kFew));
    for (std::uint64_t i = 0; i < kTimes * kFew; ++i) {
      many.enter(shape.use(random, i, kTimes * kFew));
    }
    CHECK(many.map().size() <= 2 * kTimes * kFew + 1);
    CHECK(many.edges() <= 2 * kTimes * few.edges() + 10 * kTimes * kFew);
    CHECK(many.notes() <= 2 * kTimes * few.notes() + 10 * kTimes * kFew);
  }
}

// What is over is forgotten, and what comes later is noted as high up as before.
TEST_CASE("a tree does not grow for ever") {
  TestTasks tasks;
  Cost cost(tasks);
  std::size_t layers = 0;
  std::size_t fragments = 0;
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    const std::uint64_t begin = 8 * i % 10'000;
    cost.enter({begin, begin + 800, i % 3 == 0});
    cost.complete_but(200);
    if (i < 5'000) {
      layers = std::max(layers, cost.map().layers());
      fragments = std::max(fragments, cost.map().size());
    }
    REQUIRE(cost.map().layers() <= layers + 2);
    REQUIRE(cost.map().size() <= 2 * fragments);
  }
  CHECK(layers > 1);
}
