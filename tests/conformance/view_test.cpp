// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Loops": bodies that get what the loop declares.
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

TEST_CASE("a stencil that names each array once") {
  constexpr int kSize = 5000;
  std::vector<double> a(kSize), b(kSize);
  a[kSize / 2] = 1e6;
  b = a;
  std::vector<double> x = a, y = b;
  for (int step = 0; step < 20; ++step) {
    for_each(range(1, kSize - 1), in(a, part.grow(1)), out(b, part),
             [](auto i, auto from, auto to) { to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3; });
    std::swap(a, b);
    for (std::size_t i = 1; i < kSize - 1; ++i) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
    std::swap(x, y);
  }
  wait_all();
  CHECK(a == x);
}

TEST_CASE("pointers, arrays, spans, and what all iterations use") {
  std::array<int, 100> a{};
  int plain[100] = {};
  std::vector<int> v(100, 2);
  int factor = 3;
  const Region region = Region::create();
  int* object = region.make<int>(5);
  for_each(
      grain(7), range(100), out(a, part), out(plain, part), in(std::span<const int>(v), part),
      in(v.data(), part), in(factor), in(object), in(region),
      [](auto i, auto to, auto too, auto from, auto again, const int& f, const int* o, Region) {
        to[i] = from[i] * f;
        too[i] = again[i] + *o;
      });
  wait_all();
  CHECK(a[99] == 6);
  CHECK(plain[99] == 7);
  region.free();
}

TEST_CASE("views and values of reductions, in the order of the accesses") {
  std::vector<double> a(3000, 0.5);
  double sum = 0;
  double squares = 0;
  int largest = 0;
  std::vector<int> seen(3000);
  for_each(range(3000), reduce(largest, max_of), in(a, part), reduce(sum, std::plus<>()),
           out(seen, part), [](std::size_t i, int& own, auto x, double& total, auto mark) {
             own = static_cast<int>(i) > own ? static_cast<int>(i) : own;
             total += x[i];
             mark[i] = 1;
           });
  reduce_each(grain(100), range(3000), reduce(squares, std::plus<>()), in(a, part),
              [](auto i, auto x) { return x[i] * x[i]; });
  wait_all();
  CHECK(sum == 1500);
  CHECK(squares == 750);
  CHECK(largest == 2999);
  CHECK(std::accumulate(seen.begin(), seen.end(), 0) == 3000);
}

TEST_CASE("the rows of a matrix, and its tiles") {
  constexpr std::size_t kRows = 90;
  constexpr std::size_t kColumns = 70;
  std::vector<int> a(kRows * kColumns, 1), b(kRows * kColumns);
  const auto from = tile(a.data(), kRows, kColumns, kColumns);
  const auto to = tile(b.data(), kRows, kColumns, kColumns);
  for_each(range(kRows), inout(from, part), [](auto i, auto rows) {
    for (std::size_t j = 0; j < kColumns; ++j) rows(i, j) += static_cast<int>(i);
  });
  for_each(tiles(8, 16), Range2{{1, kRows - 1}, {1, kColumns - 1}}, in(from, part.grow(1)),
           out(to, part),
           [](auto i, auto j, auto x, auto y) { y(i, j) = x(i - 1, j) + x(i, j + 1); });
  long sum = 0;
  reduce_each(grain(2), tiles(16, 16), Range2{{0, kRows}, {0, kColumns}},
              reduce(sum, std::plus<>()), in(to, part),
              [](auto i, auto j, auto x) { return x(i, j); });
  wait_all();
  CHECK(b[kColumns + 1] == 1 + 2);
  long expected = 0;
  for (std::size_t i = 1; i < kRows - 1; ++i) {
    expected += static_cast<long>((kColumns - 2) * (2 * i + 1));
  }
  CHECK(sum == expected);
}

TEST_CASE("objects by iteration, and regions") {
  const Region region = Region::create();
  std::vector<int*> objects;
  std::vector<Region> regions;
  std::vector<int*> inside;
  for (int i = 0; i < 50; ++i) {
    objects.push_back(region.make<int>(i));
    regions.push_back(Region::create(region));
    inside.push_back(regions.back().make<int>(0));
  }
  for_each(range(50), inout(each(objects), part), [](auto i, auto all) { all[i] += 100; });
  for_each(grain(5), range(10, 60), in(each(objects).inside(region).at(10), part.grow(1, 0)),
           [](auto i, auto all) { CHECK(all[i] >= 100); });
  for_each(range(50), inout(each(regions), part), [where = inside.data()](auto i, auto all) {
    *where[i] = all[i] == Region::root() ? 0 : static_cast<int>(i);
  });
  wait_all();
  CHECK(*objects[49] == 149);
  CHECK(*inside[49] == 49);
  region.free();
}

TEST_CASE("ranges of any integers") {
  CHECK(range(-3, 5).size() == 8);
  CHECK(range(7L, 3).size() == 0);
  CHECK(range(10U).size() == 10);
  CHECK(range(static_cast<short>(2), std::size_t{4}).from == 2);
}

}  // namespace myr::conformance
