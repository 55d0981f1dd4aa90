// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "In any order": tasks that use memory concurrently or commutatively.
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

TEST_CASE("commutative tasks run one at a time, between what is before and behind them") {
  int* sum = Region::root().make<int>(0);
  spawn([](int* s) { *s = 100; }, out(sum));
  for (int i = 1; i <= 10; ++i) {
    spawn([](int* s, int number) { *s += number; }, commutative(sum), i);  // in any order
  }
  spawn([](int* s) { *s *= 2; }, inout(sum));
  wait(in(sum));
  CHECK(*sum == 310);
}

TEST_CASE("concurrent tasks run at the same time, between what is before and behind them") {
  auto* hits = Region::root().make<std::atomic<int>>(0);
  spawn([](std::atomic<int>* h) { *h = 100; }, out(hits));
  for (int i = 0; i < 10; ++i) {
    spawn([](std::atomic<int>* h) { ++*h; }, concurrent(hits));  // at the same time
  }
  int result = 0;
  spawn([](const std::atomic<int>* h, int& r) { r = *h; }, in(hits), out(result));
  wait_all();
  CHECK(result == 110);
}

TEST_CASE("concurrent tasks meet") {
  if (!uses_any_order()) return;
  int x = 0;
  std::atomic<int> arrived{0};
  Spawning main_spawns;
  main_spawns.begin();
  const auto meet = [&](int&) {
    ++arrived;
    if (!main_spawns.is_below_us()) await([&] { return arrived == 2; });
  };
  spawn(meet, concurrent(x));
  spawn(meet, concurrent(x));
  main_spawns.end();
  wait_all();
  CHECK(arrived == 2);
}

TEST_CASE("a commutative task that must wait for others lets those behind it pass") {
  if (!uses_any_order()) return;
  int x = 0;
  int gate = 0;
  std::atomic<bool> passed{false};
  Spawning main_spawns;
  main_spawns.begin();
  spawn(
      [&](int&) {
        if (!main_spawns.is_below_us()) await([&] { return passed.load(); });
      },
      inout(gate));
  spawn([](int& n, const int&) { n += 1; }, commutative(x), in(gate));
  spawn(
      [&](int& n) {
        n += 10;
        passed = true;
      },
      commutative(x));
  main_spawns.end();
  wait_all();
  CHECK(x == 11);
}

TEST_CASE("a commutative task has the memory until its descendants have ended") {
  int x = 0;
  std::atomic<int> users{0};
  std::atomic<int> most{0};
  const auto use = [&](int& n) {
    const int now = ++users;
    if (now > most) most = now;
    n += 1;
    --users;
  };
  for (int i = 0; i < 50; ++i) {
    spawn(
        [&use](int& n) {
          spawn([&use](int& m) { spawn(use, commutative(m)); }, inout(n));
          spawn(use, commutative(n));
        },
        commutative(x));
  }
  wait(in(x));
  CHECK(x == 100);
  CHECK(most == 1);
}

// All are tasks of one function, most of which do next to nothing: the runtime may call those,
// one that has no siblings without noting what it uses.
TEST_CASE("among many small commutative tasks, some end before their children") {
  auto* sum = Region::root().make<int>(0);
  const auto spawn_one = [](int* s, bool has_child) {
    spawn(
        [has_child](int* p) {
          *p += 1;
          if (has_child) spawn([](int* q) { *q += 100; }, inout(p));
        },
        commutative(s));
  };
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 64; ++i) spawn_one(sum, false);
    wait(in(sum));
    spawn_one(sum, true);
    spawn_one(sum, false);
  }
  wait(in(sum));
  CHECK(*sum == 20 * 166);
  destroy(sum);
}

TEST_CASE("many tasks on parts of the same memory take turns") {
  constexpr std::size_t kCells = 40;
  auto* cells = Region::root().make_array<int>(kCells);
  std::array<std::atomic<int>, kCells> users{};
  std::atomic<int> clashes{0};
  std::vector<int> expected(kCells, 0);
  std::mt19937 random(1);
  for (int i = 0; i < 150; ++i) {
    const std::size_t from = random() % kCells;
    const std::size_t count = 1 + random() % (kCells - from);
    for (std::size_t j = 0; j < count; ++j) expected[from + j] += i;
    spawn(
        [&, i](int* first, std::size_t offset, std::size_t n) {
          for (std::size_t j = 0; j < n; ++j) {
            if (++users[offset + j] != 1) ++clashes;
            first[j] += i;
          }
          for (std::size_t j = 0; j < n; ++j) --users[offset + j];
        },
        commutative(cells + from, count), from, count);
  }
  wait(in(cells));
  CHECK(clashes == 0);
  CHECK(std::vector<int>(cells, cells + kCells) == expected);
}

namespace {

// Sums in objects of regions and in an array: each task adds in any order, or changes them as a
// writer does, or reads what must be in them then. The model does so when the task is spawned.
class Sums {
 public:
  explicit Sums(unsigned seed) : random_(seed) {
    for (std::size_t i = 0; i < kObjects; ++i) {
      if (i % kInRegion == 0) regions_.push_back(Region::create());
      objects_.push_back(regions_.back().make<Cell>());
    }
  }
  ~Sums() {
    wait_all();
    for (const Region region : regions_) region.free();
  }
  Sums(const Sums&) = delete;
  Sums& operator=(const Sums&) = delete;

  void step() {
    const std::size_t object = random_() % kObjects;
    const auto number = static_cast<std::int64_t>(random_() % 100);
    Cell* cell = objects_[object];
    std::int64_t& model = model_[object];
    switch (random_() % 12) {
      case 0:
      case 1:
      case 2:
        model += number;
        spawn(add_alone, commutative(cell), number, &failures_);
        break;
      case 3:
      case 4:
      case 5:
        model += number;
        spawn(add_shared, concurrent(cell), number);
        break;
      case 6:
        model += number;  // by a child
        spawn([](Cell* c, std::int64_t n,
                 std::atomic<int>* failures) { spawn(add_alone, inout(c), n, failures); },
              commutative(cell), number, &failures_);
        break;
      case 7:
        model = model * 3 % 1000;
        spawn([](Cell* c) { c->sum = c->sum * 3 % 1000; }, inout(cell));
        break;
      case 8:
        spawn(check, in(cell), model, &failures_);
        break;
      case 9:
        add_to_region(object / kInRegion, number);
        break;
      case 10:
        check_region(object / kInRegion);
        break;
      default:
        wait(in(cell));
        if (cell->sum != model) ++failures_;
    }
  }
  [[nodiscard]] int failures() {
    wait_all();
    for (std::size_t i = 0; i < kObjects; ++i) failures_ += objects_[i]->sum != model_[i] ? 1 : 0;
    return failures_;
  }

 private:
  static constexpr std::size_t kObjects = 12;
  static constexpr std::size_t kInRegion = 4;
  struct Cell {
    std::atomic<std::int64_t> sum{0};
    std::atomic<int> users{0};
  };
  using Cells = std::array<Cell*, kInRegion>;

  static void add_alone(Cell* cell, std::int64_t number, std::atomic<int>* failures) {
    if (++cell->users != 1) ++*failures;
    cell->sum = cell->sum + number;  // nobody comes in between
    --cell->users;
  }
  static void add_shared(Cell* cell, std::int64_t number) { cell->sum += number; }
  static void check(const Cell* cell, std::int64_t expected, std::atomic<int>* failures) {
    if (cell->sum != expected) ++*failures;
  }
  [[nodiscard]] Cells cells_of(std::size_t region) const {
    Cells cells;
    for (std::size_t i = 0; i < kInRegion; ++i) cells[i] = objects_[region * kInRegion + i];
    return cells;
  }
  void add_to_region(std::size_t region, std::int64_t number) {
    for (std::size_t i = 0; i < kInRegion; ++i) model_[region * kInRegion + i] += number;
    spawn(
        uses(commutative(regions_[region])),
        [](Cells cells, std::int64_t n, std::atomic<int>* failures) {
          for (Cell* cell : cells) add_alone(cell, n, failures);
        },
        cells_of(region), number, &failures_);
  }
  void check_region(std::size_t region) {
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < kInRegion; ++i) expected += model_[region * kInRegion + i];
    spawn(
        uses(in(regions_[region])),
        [](Cells cells, std::int64_t sum, std::atomic<int>* failures) {
          for (const Cell* cell : cells) sum -= cell->sum;
          if (sum != 0) ++*failures;
        },
        cells_of(region), expected, &failures_);
  }

  std::mt19937 random_;
  std::vector<Region> regions_;
  std::vector<Cell*> objects_;
  std::array<std::int64_t, kObjects> model_{};
  std::atomic<int> failures_{0};
};

}  // namespace

TEST_CASE("random tasks that add in any order leave the sums of the serial program") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  for (unsigned round = 0; round < 4; ++round) {
    Sums sums(seed + round);
    for (int i = 0; i < 200; ++i) sums.step();
    REQUIRE(sums.failures() == 0);
  }
}

TEST_CASE("members of groups that others wait for again and again cost one edge each") {
  // Pairs would be four million edges. On other machines only the results matter.
  const int tasks = is_machine("smp") && !is_chaotic() ? 2000 : 60;
  const Region region = Region::create();
  std::vector<int*> objects;
  for (int i = 0; i < tasks; ++i) objects.push_back(region.make<int>(0));
  std::atomic<int> wrong{0};
  for (int* object : objects) spawn([](int* p) { *p = 1; }, inout(object));
  for (int i = 0; i < tasks; ++i) {
    spawn(
        uses(in(region)),
        [&](const int* p) {
          if (*p != 1) ++wrong;
        },
        objects[static_cast<std::size_t>(i)]);
  }
  for (int* object : objects) spawn([](int* p) { *p += 1; }, inout(object));
  wait_all();
  CHECK(wrong == 0);
  for (const int* object : objects) REQUIRE(*object == 2);
  region.free();
}

}  // namespace myr::conformance
