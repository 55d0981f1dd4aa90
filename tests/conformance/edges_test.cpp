// SPDX-License-Identifier: Apache-2.0
//
// What programs ask for at the limits of the types that calls take, what their constructors and
// copies throw, and what they destroy right behind a call.
#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "resident_bytes.hpp"
#include "support.hpp"

namespace myr::conformance {

namespace {

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
constexpr std::array<std::size_t, 12> kCounts = {0,
                                                 1,
                                                 2,
                                                 7,
                                                 63,
                                                 std::size_t{1} << 31,
                                                 std::size_t{1} << 32,
                                                 (std::size_t{1} << 63) - 1,
                                                 std::size_t{1} << 63,
                                                 (std::size_t{1} << 63) + 1,
                                                 kMost - 1,
                                                 kMost};
constexpr std::array<std::ptrdiff_t, 11> kFirsts = {
    0, 1, -1, 5, -5, 70, -70, PTRDIFF_MAX, PTRDIFF_MAX - 1, PTRDIFF_MIN, PTRDIFF_MIN + 1};

__extension__ using Wide = __int128;  // has room for all sums of these

std::size_t clipped(Wide number, std::size_t size) {
  return number < 0 ? 0 : number > Wide{size} ? size : static_cast<std::size_t>(number);
}

static_assert(part.grow(kMost).grow(1).before == kMost);
static_assert(part.grow(1, kMost).grow(kMost, 2).after == kMost);
static_assert(part.grow(kMost).of({5, 6}, 10).to == 10);
static_assert(whole.grow(1).before == kMost);
static_assert(whole.grow(7).after == kMost);
static_assert(parts(part.grow(1), whole).directions[0].before == 1);

// The numbers that a footprint says are used.
template <class Access>
std::vector<void*> used_by(const Access& access, Range range) {
  std::vector<myr_access> accesses(access.footprint(range, nullptr));
  access.footprint(range, accesses.data());
  std::vector<void*> addresses;
  for (const myr_access& one : accesses) addresses.push_back(one.address);
  return addresses;
}

}  // namespace

TEST_CASE("parts grow by any number, and end where the array does") {
  constexpr std::size_t kSize = 64;
  for (const std::size_t before : kCounts) {
    for (const std::size_t behind : kCounts) {
      for (const std::size_t more : kCounts) {
        const Part grown = part.grow(before, behind).grow(more);
        const Range used = grown.of({3, 9}, kSize);
        CHECK(used.from == clipped(Wide{3} - before - more, kSize));
        CHECK(used.to == clipped(Wide{9} + behind + more, kSize));
      }
    }
  }
}

TEST_CASE("windows of objects reach as far as they say, wherever they begin") {
  constexpr std::size_t kSize = 64;
  std::array<char, kSize> memory{};
  std::vector<char*> names;
  for (char& byte : memory) names.push_back(&byte);
  for (const std::ptrdiff_t first : kFirsts) {
    for (const std::size_t before : kCounts) {
      for (const std::size_t behind : kCounts) {
        const auto access =
            in(each(names).inside(Region::root()).at(first), part.grow(before, behind));
        for (const std::size_t from : kCounts) {
          if (from == kMost) continue;
          const auto begin = clipped(Wide{from} - first - before, kSize);
          const auto end = clipped(Wide{from} + 1 - first + behind, kSize);
          const Range range{from, from + 1};
          REQUIRE(access.footprint(range, nullptr) == end - begin);
          if (begin == end) continue;
          const std::vector<void*> used = used_by(access, range);
          REQUIRE(used.front() == &memory[begin]);
          REQUIRE(used.back() == &memory[end - 1]);
        }
      }
    }
  }
}

TEST_CASE("a loop that reads whole rows and those beside them waits for all that write there") {
  constexpr std::size_t n = 32;
  const auto repetitions = is_of_agents() ? 2 : 10;
  for (int i = 0; i < repetitions; ++i) {
    std::vector<long> x(n * n), y(n * n);
    const auto from = tile(x.data(), n, n, n), to = tile(y.data(), n, n, n);
    for_each(tiles(8, 8), Range2{{0, n}, {0, n}}, out(from, part),
             [=](std::size_t row, std::size_t column) { from(row, column) = 1; });
    for_each(tiles(8, 8), Range2{{0, n}, {0, n}}, in(from, parts(part.grow(1), whole)),
             out(to, part), [=](std::size_t row, std::size_t column) {
               const std::size_t first = row == 0 ? 0 : row - 1;
               long sum = 0;
               for (std::size_t r = first; r < std::min(row + 2, n); ++r) {
                 for (std::size_t c = 0; c < n; ++c) sum += from(r, c);
               }
               to(row, column) = sum;
             });
    wait_all();
    CHECK(y[0] == 2 * n);
    CHECK(std::count(y.begin() + n, y.end() - n, 3 * n) == n * (n - 2));
  }
}

TEST_CASE("a loop's objects may be named by a vector that ends right behind the call") {
  constexpr std::size_t kSize = 300;
  constexpr int kSteps = 10;
  const Region region = Region::create();
  std::vector<long*> objects;
  for (std::size_t i = 0; i < kSize; ++i) objects.push_back(region.make<long>(0));
  long* const* const all = objects.data();
  const auto body = [all](std::size_t i) {
    take_time(500);
    *all[i] += 1;
  };
  for (int step = 0; step < kSteps; ++step) {
    {
      std::vector<long*> names = objects;
      for_each(grain(1), Range{10, kSize}, inout(each(names), part), body);
      std::fill(names.begin(), names.end(), nullptr);
    }
    {
      std::vector<long*> names = objects;
      for_each(grain(1), Range{10, kSize}, inout(each(names).inside(region), part), body);
      std::fill(names.begin(), names.end(), nullptr);
    }
    std::vector<long*> names = objects;
    for_each(tiles(2, 3), Range2{{0, 20}, {1, 15}},
             inout(each(tile(names.data(), 20, 15, 15)), part),
             [all](std::size_t i, std::size_t j) { *all[15 * i + j] += 1; });
    std::fill(names.begin(), names.end(), nullptr);
  }
  wait_all();
  for (std::size_t i = 0; i < kSize; ++i) {
    REQUIRE(*objects[i] == (i < 10 ? 0 : 2 * kSteps) + (i % 15 == 0 ? 0 : kSteps));
  }
  region.free();
}

namespace {

struct Refusal : std::runtime_error {
  Refusal() : std::runtime_error("it does not want to be copied") {}
};
// Throws when it is copied for the time given, and counts those that live.
struct Copied {
  static inline int alive = 0;
  int* left;
  explicit Copied(int* copies_left) : left(copies_left) { alive += 1; }
  Copied(const Copied& other) : left(other.left) {
    if ((*left)-- == 0) throw Refusal();
    alive += 1;
  }
  ~Copied() { alive -= 1; }
};

}  // namespace

TEST_CASE("a copy that throws reaches the caller, and nothing is left of the task") {
  const std::size_t large = 2000;
  std::vector<char> bytes(large);
  for (int i = 0; i < 5'000; ++i) {
    int copies_left = 0;
    const Copied refuses(&copies_left);
    bool has_thrown = false;
    try {
      if (i % 2 == 0) {
        spawn([](char&, const Copied&) { FAIL("it was not copied"); }, inout(bytes[0]), refuses);
      } else {
        spawn(
            priority(1), [](Tile<char>, const Copied&) { FAIL("it was not copied"); },
            inout(tile(bytes.data(), 20, 1, 100)), refuses);
      }
    } catch (const Refusal&) {
      has_thrown = true;
    }
    REQUIRE(has_thrown);
    REQUIRE(Copied::alive == 1);
  }
  spawn([](char& byte) { byte = 7; }, out(bytes[0]));
  wait(in(bytes[0]));
  CHECK(bytes[0] == 7);
}

TEST_CASE("of a loop, too") {
  std::vector<int> a(100);
  for (int i = 0; i < 100; ++i) {
    int copies_left = 0;
    const Copied refuses(&copies_left);
    CHECK_THROWS_AS(for_each(Range{0, a.size()}, inout(a, part), [refuses](std::size_t) {}),
                    Refusal);
    CHECK(Copied::alive == 1);
  }
}

namespace {

struct Large {
  std::array<char, 100'000> bytes{};
  explicit Large(bool throws) {
    if (throws) throw Refusal();
  }
};
struct Throwing {
  static inline int left = 0;
  std::array<char, 1000> bytes{};
  Throwing() {
    if (left-- == 0) throw Refusal();
  }
};

}  // namespace

// Of 100 KB each, 4,000 would be 400 MB.
TEST_CASE("an object whose constructor throws is freed again") {
  const Region region = Region::create();
  std::ignore = region.make<Large>(false);
  const int many = is_of_agents() ? 300 : 4'000;
  const std::size_t before = tests::resident_bytes();
  for (int i = 0; i < many; ++i) {
    CHECK_THROWS_AS(std::ignore = region.make<Large>(true), Refusal);
    Throwing::left = 70;
    CHECK_THROWS_AS(std::ignore = region.make_array<Throwing>(100), Refusal);
    Throwing::left = 70;
    CHECK_THROWS_AS(std::ignore = region.make_blocks<Throwing>(100, 4096), Refusal);
  }
  CHECK(region.make<Large>(false) != nullptr);
  CHECK(tests::resident_bytes() < before + (std::size_t{200} << 20));
  region.free();
}

TEST_CASE("there is no object whose constructor throws") {
  struct Picky {
    explicit Picky(int number) {
      if (number < 0) throw std::invalid_argument("negative");
    }
  };
  CHECK_THROWS_AS(std::ignore = Region::root().make<Picky>(-1), std::invalid_argument);
}

TEST_CASE("objects are made as std::make_unique makes them, and aggregates") {
  struct Pair {
    int first;
    long second = 5;
  };
  const Region region = Region::create();
  auto* const sevens = region.make<std::vector<int>>(10u, 7);
  CHECK(sevens->size() == 10);
  CHECK(region.make<std::vector<int>>()->empty());
  CHECK(*region.make<int>() == 0);
  CHECK(*region.make<unsigned char>('x') == 'x');
  CHECK(region.make<Pair>(3)->second == 5);
  CHECK(region.make<Pair>(3, 4)->second == 4);
  CHECK(region.make<Pair>(Pair{8, 9})->first == 8);
  CHECK((*region.make<std::array<int, 3>>(1, 2, 3))[2] == 3);
  auto* const six = region.make<std::unique_ptr<int>>(std::make_unique<int>(6));
  CHECK(**six == 6);
  region.free();
}

TEST_CASE("what the function of by_part throws reaches the caller, or the next wait") {
  std::vector<int> a(1000);
  int* const first = a.data();
  const auto all = [first](Range r) { return inout(first + r.from, r.size()); };
  CHECK_THROWS_AS(for_each(Range{0, a.size()}, by_part([all](Range r) {
                             if (r.from + 1 > 0) throw Refusal();
                             return all(r);
                           }),
                           [first](std::size_t i) { first[i] = 1; }),
                  Refusal);
  wait_all();
  CHECK(std::count(a.begin(), a.end(), 0) == 1000);

  // Where the loop is cut later, behind the call.
  auto is_over = std::make_shared<std::atomic<bool>>(false);
  auto has_thrown = std::make_shared<std::atomic<bool>>(false);
  bool was_caught = false;
  try {
    for_each(grain(1), Range{0, a.size()}, by_part([=](Range r) {
               if (*is_over) {
                 *has_thrown = true;
                 throw Refusal();
               }
               return all(r);
             }),
             [=](std::size_t i) {
               take_time(2000);
               first[i] += 1;
             });
    *is_over = true;
    wait_all();
  } catch (const Refusal&) {
    was_caught = true;
  }
  if (shares_memory()) CHECK(was_caught == *has_thrown);
  if (!was_caught && shares_memory()) CHECK(std::count(a.begin(), a.end(), 1) == 1000);
  CHECK(std::all_of(a.begin(), a.end(), [](int value) { return value <= 1; }));
}

TEST_CASE("priorities and hints of any size") {
  int sum = 0;
  for (const int number : {INT_MIN, INT_MIN + 1, -1, 0, 1, INT_MAX - 1, INT_MAX}) {
    spawn(priority(number), [](int& s) { s += 1; }, inout(sum));
    const Region region = Region::create(Region::root(), number);
    spawn([](Region r) { std::ignore = r.make<int>(1); }, inout(region));
    region.free();
  }
  wait_all();
  CHECK(sum == 7);
}

TEST_CASE("no elements, of any type of number") {
  int x = 1;
  int* const p = &x;
  std::size_t seen = 0;
  spawn([](int& y) { y = 2; }, inout(x));
  spawn([](const int*, int*, std::size_t& s) { s += 1; }, in(p, 0), out(p, 0U), inout(seen));
  spawn([](int*, std::size_t& s) { s += 1; }, inout(p, std::size_t{0}), inout(seen));
  wait(in(p, 0L));
  wait(in(p, 1), in(seen));
  CHECK(x == 2);
  CHECK(seen == 2);
}

TEST_CASE("ranges and grains of any size") {
  for (const std::size_t least : kCounts) {
    int runs = 0;
    for_each(grain(least), Range{kMost - 5, kMost}, inout(runs),
             [&runs](std::size_t) { runs += 1; });
    for_each(grain(least), Range{kMost, 0}, inout(runs), [&runs](std::size_t) { runs += 1; });
    for_each(grain(least), tiles(least, least), Range2{{kMost - 2, kMost}, {kMost - 3, kMost}},
             inout(runs), [&runs](std::size_t, std::size_t) { runs += 1; });
    wait_all();
    CHECK(runs == 5 + 6);
  }
  const Region region = Region::create();
  std::vector<int*> objects;
  for (int i = 0; i < 5; ++i) objects.push_back(region.make<int>(0));
  for (const std::size_t least : kCounts) {
    for_each(grain(kMost), Range{0, kMost}, in(each(objects).inside(region), part), [](Range) {});
    for_each(grain(least), Range{kMost - 5, kMost},
             inout(each(objects).inside(region).at(-6), part), [](std::size_t) {});
  }
  wait_all();
  region.free();
}

}  // namespace myr::conformance
