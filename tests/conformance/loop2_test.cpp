// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Loops": those over a row and a column.
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

// A matrix in rows, with numbers of its own in each place.
struct Matrix {
  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), numbers(row_count * column_count) {
    std::iota(numbers.begin(), numbers.end(), 1U);
  }
  [[nodiscard]] Tile<unsigned> all() { return tile(numbers.data(), rows, columns, columns); }

  std::size_t rows;
  std::size_t columns;
  std::vector<unsigned> numbers;
};

unsigned around(const Tile<unsigned>& from, std::size_t i, std::size_t j) {
  return 5 * from(i, j) + from(i - 1, j) + from(i + 1, j) + 3 * from(i, j - 1) + from(i, j + 1);
}

}  // namespace

TEST_CASE("a loop over pairs runs each once, whatever the size of its tiles") {
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{0, 5}, {5, 0}, {1, 1}, {3, 200}, {200, 3}, {65, 129}}) {
    for (const auto& [high, wide] :
         {std::pair<std::size_t, std::size_t>{64, 64}, {1, 1}, {7, 3}, {1000, 2}, {0, 50}}) {
      std::vector<int> hits(rows * columns);
      const Tile<int> all = tile(hits.data(), rows, columns, columns);
      for_each(tiles(high, wide), Range2{{0, rows}, {0, columns}}, inout(all, part),
               [=](std::size_t i, std::size_t j) { all(i, j) += 1; });
      wait_all();
      CHECK(std::count(hits.begin(), hits.end(), 1) == static_cast<long>(hits.size()));
    }
  }
}

TEST_CASE("sweeps over a matrix follow each other tile by tile") {
  constexpr int kSteps = 8;
  Matrix a(70, 90), b(70, 90), x(70, 90), y(70, 90);
  for (int step = 0; step < kSteps; ++step) {
    const Tile<unsigned> from = (step % 2 == 0 ? a : b).all();
    const Tile<unsigned> to = (step % 2 == 0 ? b : a).all();
    for_each(tiles(16, 24), Range2{{1, 69}, {1, 89}}, in(from, part.grow(1)), out(to, part),
             [=](std::size_t i, std::size_t j) { to(i, j) = around(from, i, j); });
  }
  wait_all();
  for (int step = 0; step < kSteps; ++step) {
    const Tile<unsigned> from = (step % 2 == 0 ? x : y).all();
    const Tile<unsigned> to = (step % 2 == 0 ? y : x).all();
    for (std::size_t i = 1; i < 69; ++i) {
      for (std::size_t j = 1; j < 89; ++j) to(i, j) = around(from, i, j);
    }
  }
  CHECK(a.numbers == x.numbers);
  CHECK(b.numbers == y.numbers);
}

TEST_CASE("tiles that use each other run in the order of a serial program that goes by tiles") {
  Matrix a(40, 50), x(40, 50);
  const Tile<unsigned> all = a.all();
  const Tile<unsigned> same = x.all();
  for_each(tiles(38, 1), grain(1), Range2{{1, 39}, {1, 49}}, inout(all, part.grow(1)),
           [=](std::size_t i, std::size_t j) { all(i, j) = around(all, i, j); });
  for (std::size_t j = 1; j < 49; ++j) {
    for (std::size_t i = 1; i < 39; ++i) same(i, j) = around(same, i, j);
  }
  wait_all();
  CHECK(a.numbers == x.numbers);
}

TEST_CASE("a product of matrices reads rows and columns that tasks still write") {
  constexpr std::size_t kSize = 48;
  Matrix a(kSize, kSize), b(kSize, kSize), c(kSize, kSize);
  const Tile<unsigned> p = a.all(), q = b.all(), r = c.all();
  const Range2 all{{0, kSize}, {0, kSize}};
  for (const Tile<unsigned>& one : {p, q}) {
    for_each(tiles(8, 16), all, inout(one, part),
             [=](std::size_t i, std::size_t j) { one(i, j) = one(i, j) % 97 + 1; });
  }
  for_each(tiles(16, 12), all, in(p, parts(part, whole)), in(q, parts(whole, part)), out(r, part),
           [=](Range2 box) {
             for (const std::size_t i : box.rows) {
               for (const std::size_t j : box.columns) {
                 r(i, j) = 0;
                 for (std::size_t k = 0; k < kSize; ++k) r(i, j) += p(i, k) * q(k, j);
               }
             }
           });
  wait(in(r));
  for (std::size_t i = 0; i < kSize; i += 5) {
    for (std::size_t j = 0; j < kSize; ++j) {
      unsigned sum = 0;
      for (std::size_t k = 0; k < kSize; ++k) sum += p(i, k) * q(k, j);
      CHECK(r(i, j) == sum);
    }
  }
  wait_all();
}

TEST_CASE("objects and regions of a matrix, and accesses by rows and as a whole") {
  constexpr std::size_t kRows = 6, kColumns = 7;
  std::vector<long*> objects;
  std::vector<Region> regions;
  std::vector<long> by_row(kRows);
  long whole = 3;
  for (std::size_t i = 0; i < kRows * kColumns; ++i) {
    regions.push_back(Region::create());
    objects.push_back(Region::root().make<long>(static_cast<long>(i)));
  }
  const Tile<long*> matrix = tile(objects.data(), kRows, kColumns, kColumns);
  const Tile<Region> homes = tile(regions.data(), kRows, kColumns, kColumns);
  for_each(tiles(1, kColumns), Range2{{0, kRows}, {0, kColumns}}, in(whole),
           inout(each(matrix), part), inout(by_row, part), inout(each(homes), part),
           [=, &whole, sums = by_row.data()](std::size_t i, std::size_t j) {
             *matrix(i, j) += *homes(i, j).make<long>(whole);
             sums[i] += *matrix(i, j);
           });
  spawn([](long& w) { w = 1000; }, inout(whole));
  wait(in(each(matrix).pointers(2, 3)));
  wait_all();
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto first = static_cast<long>(i * kColumns);
    CHECK(by_row[i] == 7 * first + 21 + 7 * 3);
    CHECK(*matrix(i, 6) == first + 6 + 3);
  }
}

TEST_CASE("reductions over pairs") {
  Matrix a(33, 65);
  const Tile<unsigned> all = a.all();
  unsigned long sum = 7;
  unsigned largest = 0;
  int tile_count = 0;
  reduce_each(tiles(10, 10), Range2{{0, 33}, {0, 65}}, reduce(sum, std::plus<>()), in(all, part),
              [=](std::size_t i, std::size_t j) -> unsigned long { return all(i, j); });
  for_each(Range2{{0, 33}, {0, 65}},
           reduce(
               largest, [](unsigned x, unsigned y) { return std::max(x, y); }, 0U),
           in(all, part),
           [=](std::size_t i, std::size_t j, unsigned& own) { own = std::max(own, all(i, j)); });
  reduce_each(tiles(10, 10), Range2{{0, 33}, {0, 65}}, reduce(tile_count, std::plus<>()),
              [](Range2) { return 1; });
  wait_all();
  constexpr unsigned long kCount = 33 * 65;
  CHECK(sum == 7 + kCount * (kCount + 1) / 2);
  CHECK(largest == kCount);
  CHECK(tile_count == 4 * 7);
}

}  // namespace myr::conformance
