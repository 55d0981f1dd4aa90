// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Loops": those over three ranges, and what each direction of an array uses.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

// A cube with numbers of its own in each place.
struct CubeOfNumbers {
  CubeOfNumbers(std::size_t plane_count, std::size_t row_count, std::size_t column_count)
      : planes(plane_count),
        rows(row_count),
        columns(column_count),
        numbers(plane_count * row_count * column_count) {
    std::iota(numbers.begin(), numbers.end(), 1U);
  }
  [[nodiscard]] Cube<unsigned> all() { return cube(numbers.data(), planes, rows, columns); }

  std::size_t planes;
  std::size_t rows;
  std::size_t columns;
  std::vector<unsigned> numbers;
};

template <class View>
unsigned sum_around(const View& from, std::size_t i, std::size_t j, std::size_t k) {
  return 7 * from(i, j, k) + from(i - 1, j, k) + 3 * from(i + 1, j, k) + from(i, j - 1, k) +
         5 * from(i, j + 1, k) + from(i, j, k - 1) + from(i, j, k + 1);
}

}  // namespace

TEST_CASE("a loop over triples runs each once, whatever the size of its tiles") {
  using Sizes = std::array<std::size_t, 3>;
  for (const auto& [planes, rows, columns] :
       {Sizes{0, 5, 5}, {5, 0, 5}, {5, 5, 0}, {1, 1, 1}, {3, 20, 90}, {40, 3, 7}, {17, 9, 65}}) {
    for (const auto& [deep, high, wide] :
         {Sizes{8, 8, 64}, {1, 1, 1}, {7, 3, 2}, {1000, 2, 5}, {0, 50, 3}}) {
      if (planes * rows * columns > 1000 && deep * high * wide < 8) continue;  // takes long
      std::vector<int> hits(planes * rows * columns);
      for_each(tiles(deep, high, wide), range(planes), range(rows), range(columns),
               inout(cube(hits.data(), planes, rows, columns), part),
               [](auto i, auto j, auto k, auto all) { all(i, j, k) += 1; });
      wait_all();
      CHECK(std::count(hits.begin(), hits.end(), 1) == static_cast<long>(hits.size()));
    }
  }
}

TEST_CASE("sweeps over a cube follow each other tile by tile") {
  constexpr int kSteps = 6;
  constexpr std::size_t kPlanes = 20, kRows = 24, kColumns = 30;
  CubeOfNumbers a(kPlanes, kRows, kColumns), b = a, x = a, y = a;
  for (int step = 0; step < kSteps; ++step) {
    for_each(tiles(5, 6, 30), range(1, kPlanes - 1), range(1, kRows - 1), range(1, kColumns - 1),
             in(a.all(), part.grow(1)), out(b.all(), part),
             [](auto i, auto j, auto k, auto from, auto to) {
               to(i, j, k) = sum_around(from, i, j, k);
             });
    std::swap(a.numbers, b.numbers);
  }
  wait_all();
  for (int step = 0; step < kSteps; ++step) {
    const Cube<unsigned> from = x.all(), to = y.all();
    for (std::size_t i = 1; i < kPlanes - 1; ++i) {
      for (std::size_t j = 1; j < kRows - 1; ++j) {
        for (std::size_t k = 1; k < kColumns - 1; ++k) to(i, j, k) = sum_around(from, i, j, k);
      }
    }
    std::swap(x.numbers, y.numbers);
  }
  CHECK(a.numbers == x.numbers);
  CHECK(b.numbers == y.numbers);
}

TEST_CASE("a loop's numbers belong to the directions of what it uses, the others it uses whole") {
  constexpr std::size_t kPlanes = 12, kRows = 10, kColumns = 14;
  CubeOfNumbers a(kPlanes, kRows, kColumns);
  std::vector<unsigned> by_plane(kPlanes), by_row(kPlanes * kRows);
  const auto rows = tile(by_row.data(), kPlanes, kRows, kRows);
  for_each(tiles(3, 4, 5), range(kPlanes), range(kRows), range(kColumns), inout(a.all(), part),
           [](auto i, auto j, auto k, auto all) {
             all(i, j, k) = static_cast<unsigned>(100 * i + 10 * j + k);
           });
  // One number for a cube, two for a cube, three for a matrix and an array.
  for_each(range(kPlanes), in(a.all(), part), out(by_plane, part), [](auto i, auto all, auto sum) {
    sum[i] = all(i, 0, 0) + all(i, kRows - 1, kColumns - 1);
  });
  for_each(tiles(5, 2), range(kPlanes), range(kRows), in(a.all(), part), out(rows, part),
           [](auto i, auto j, auto all, auto sum) { sum(i, j) = all(i, j, 0) + all(i, j, 3); });
  for_each(tiles(5, 2, 14), range(kPlanes), range(kRows), range(kColumns), inout(rows, part),
           in(by_plane, part), [](auto i, auto j, auto k, auto sum, auto plane) {
             if (k == 0) sum(i, j) += plane[i];
           });
  // Each plane reads the first one, and parts of its own.
  for_each(tiles(1, 5, 14), range(std::size_t{1}, kPlanes), range(kRows), range(kColumns),
           in(tile(a.numbers.data(), kRows, kColumns, kColumns), parts(whole, whole)),
           inout(a.all(), parts(part, part, whole)),
           [](auto i, auto j, auto k, auto first, auto all) {
             all(i, j, k) += first(j, k) + all(i, j, kColumns - 1);
           });
  wait_all();
  CHECK(by_plane[3] == 300 + 300 + 10 * 9 + 13);
  CHECK(by_row[3 * kRows + 2] == 2 * 320 + 3 + by_plane[3]);
  CHECK(a.all()(5, 2, 3) == 523 + 23 + 533);
}

TEST_CASE("objects and regions of a cube") {
  constexpr std::size_t kPlanes = 3, kRows = 4, kColumns = 5;
  std::vector<long*> objects;
  std::vector<Region> regions;
  for (std::size_t i = 0; i < kPlanes * kRows * kColumns; ++i) {
    regions.push_back(Region::create());
    objects.push_back(regions.back().make<long>(static_cast<long>(i)));
  }
  auto of_objects = cube(objects.data(), kPlanes, kRows, kColumns);
  const auto homes = cube(regions.data(), kPlanes, kRows, kColumns);
  for_each(tiles(1, 2, 5), range(kPlanes), range(kRows), range(kColumns),
           inout(each(of_objects), part),
           [](auto i, auto j, auto k, auto all) { all(i, j, k) += 1; });
  for_each(tiles(2, 1, 2), range(kPlanes), range(kRows), range(kColumns), inout(each(homes), part),
           [=](std::size_t i, std::size_t j, std::size_t k) {
             *of_objects(i, j, k) += *homes(i, j, k).make<long>(10);
           });
  std::vector<long> before(kPlanes);
  for_each(grain(1), range(kPlanes), in(each(of_objects), part), out(before, part),
           [](auto i, auto all, auto sum) {
             for (std::size_t j = 0; j < kRows; ++j) sum[i] += all(i, j, 0);
           });
  wait_all();
  CHECK(*objects[59] == 59 + 11);
  CHECK(before[1] == 20 + 25 + 30 + 35 + 4 * 11);
}

TEST_CASE("sums over triples, and tiles of them") {
  CubeOfNumbers a(9, 20, 33);
  unsigned long sum = 7;
  unsigned largest = 0;
  int tile_count = 0;
  reduce_each(tiles(4, 4, 4), range(9), range(20), range(33), reduce(sum, std::plus<>()),
              in(a.all(), part),
              [](int i, int j, int k, auto all) -> unsigned long { return all(i, j, k); });
  for_each(range(9), range(20), range(33), reduce(largest, max_of), in(a.all(), part),
           [](int i, int j, int k, unsigned& own, auto all) { own = std::max(own, all(i, j, k)); });
  reduce_each(tiles(4, 10, 11), Range3{{0, 9}, {0, 20}, {0, 33}}, reduce(tile_count, std::plus<>()),
              [](const Range3& box) { return box.planes.size() * box.rows.size() > 40 ? 100 : 1; });
  long below = 0;
  reduce_each(range(-2, 3), range(-3, 4), range(-4, 5), reduce(below, std::plus<>()),
              [](int i, int j, int k) { return i < 0 && j < 0 && k < 0 ? 1L : 0L; });
  wait_all();
  constexpr unsigned long kCount = 9 * 20 * 33;
  CHECK(sum == 7 + kCount * (kCount + 1) / 2);
  CHECK(largest == kCount);
  CHECK(tile_count == 3 * 2 * 3);
  CHECK(below == 2 * 3 * 4);
}

TEST_CASE("a cube in a task and a wait") {
  CubeOfNumbers a(3, 4, 5);
  spawn([](Cube<unsigned> all) { all(2, 3, 4) = 1000; }, inout(a.all()));
  unsigned seen = 0;
  spawn([](Cube<const unsigned> all, unsigned& s) { s = all(2, 3, 4); }, in(a.all()), out(seen));
  wait(in(a.numbers[59]));
  CHECK(a.numbers[59] == 1000);
  wait(in(seen));
  CHECK(seen == 1000);
}

}  // namespace myr::conformance
