// SPDX-License-Identifier: Apache-2.0
//
// The predicates against determinants that are evaluated in other ways, and against geometry.
#include "allocator/delaunay/predicates.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

#include "allocator/delaunay/test_points.hpp"

namespace delaunay {
namespace {

using Uint64 = std::uint64_t;
__extension__ using Uint128 = unsigned __int128;

// Primes just below 2^61 and 2^63. Numbers below 2^124 that agree modulo all three are equal.
constexpr std::array<Uint64, 3> kPrimes{2305843009213693951U, 2305843009213693921U,
                                        9223372036854775783U};

struct Field {
  Uint64 prime;
  [[nodiscard]] Uint64 of(Int128 value) const {
    const Int128 rest = value % static_cast<Int128>(prime);
    return static_cast<Uint64>(rest < 0 ? rest + static_cast<Int128>(prime) : rest);
  }
  [[nodiscard]] Uint64 add(Uint64 a, Uint64 b) const { return (a + b) % prime; }
  [[nodiscard]] Uint64 subtract(Uint64 a, Uint64 b) const { return (a + prime - b) % prime; }
  [[nodiscard]] Uint64 multiply(Uint64 a, Uint64 b) const {
    return static_cast<Uint64>(Uint128{a} * b % prime);
  }
};

using Matrix = std::array<std::array<Uint64, 4>, 4>;

// The determinant of the last `size` rows and of the columns in `columns`, by the first of these
// rows.
Uint64 determinant(const Field& field, const Matrix& matrix, int size, unsigned columns) {
  if (size == 0) return 1;
  Uint64 sum = 0;
  bool negative = false;
  for (unsigned column = 0; column < 4; ++column) {
    if ((columns >> column & 1) == 0) continue;
    const Uint64 rest = determinant(field, matrix, size - 1, columns & ~(1U << column));
    const Uint64 term = field.multiply(matrix[static_cast<std::size_t>(4 - size)][column], rest);
    sum = negative ? field.subtract(sum, term) : field.add(sum, term);
    negative = !negative;
  }
  return sum;
}

// The textbook form: rows (x, y, x^2 + y^2, 1), with nothing moved to the origin.
Uint64 lifted_determinant(const Field& field, const std::array<Point, 4>& points) {
  Matrix matrix;
  for (std::size_t i = 0; i < 4; ++i) {
    const Uint64 x = field.of(points[i].x), y = field.of(points[i].y);
    matrix[i] = {x, y, field.add(field.multiply(x, x), field.multiply(y, y)), 1};
  }
  return determinant(field, matrix, 4, 0b1111);
}

void check_determinant(const std::array<Point, 4>& points) {
  const auto [a, b, c, d] = points;
  const Int128 value = in_circle_determinant(a, b, c, d);
  for (const Uint64 prime : kPrimes) {
    const Field field{prime};
    CHECK(field.of(value) == lifted_determinant(field, points));
  }
}

// Whether the circle test is consistent for four points on one circle, counter-clockwise: of the
// two ways to cut them, each of the four triangles must vote for the same one.
void check_tie(Point a, Point b, Point c, Point d) {
  REQUIRE(in_circle_determinant(a, b, c, d) == 0);
  const bool cut_bd = in_circle(a, b, c, d);
  CHECK(in_circle(b, c, a, d) == cut_bd);
  CHECK(in_circle(c, d, a, b) == cut_bd);
  CHECK(in_circle(b, c, d, a) == !cut_bd);
  CHECK(in_circle(d, a, b, c) == !cut_bd);
}

}  // namespace

TEST_CASE("orientation and in_circle know simple cases") {
  const Point a{0, 0}, b{4, 0}, c{0, 4};
  CHECK(orientation(a, b, c) == 16);
  CHECK(orientation(a, c, b) == -16);
  CHECK(orientation(a, b, {9, 0}) == 0);
  CHECK(in_circle(a, b, c, {1, 1}));
  CHECK_FALSE(in_circle(a, b, c, {5, 5}));
  CHECK(in_circle_determinant(a, b, c, {4, 4}) == 0);
}

TEST_CASE("orientation is exact at the ends of the range") {
  constexpr std::int32_t m = kCoordinateMax;
  CHECK(orientation({-m, -m}, {m, m}, {m, m - 1}) == -2 * std::int64_t{m});
  CHECK(orientation({-m, -m}, {m, m}, {-m, m}) == 4 * std::int64_t{m} * m);
  CHECK(orientation({-m, -m}, {0, 0}, {m, m}) == 0);
}

TEST_CASE("the in-circle determinant is that of the lifted points, also at the ends of the range") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 3000; ++round) {
    const int bits = 1 + static_cast<int>(random() % 29);
    std::array<Point, 4> points;
    for (Point& p : points) {
      const auto coordinate = [&] {
        return static_cast<std::int32_t>(random() % ((2U << bits) + 1)) - (1 << bits);
      };
      p.x = coordinate();
      p.y = coordinate();
    }
    check_determinant(points);
  }
  constexpr std::int32_t m = kCoordinateMax;
  for (int corners = 0; corners < 256; ++corners) {
    std::array<Point, 4> points;
    for (std::size_t i = 0; i < 4; ++i) {
      const int corner = corners >> (2 * i) & 3;
      points[i] = {(corner & 1) != 0 ? m : -m, (corner & 2) != 0 ? m : -m};
    }
    check_determinant(points);
  }
}

TEST_CASE("ties on a circle are cut one way, whoever asks") {
  check_tie({0, 0}, {1, 0}, {1, 1}, {0, 1});
  check_tie({0, -5}, {3, -4}, {5, 0}, {-4, 3});
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  // The twelve integer points at distance 5 from a centre, counter-clockwise.
  constexpr std::array<Point, 12> circle{{{5, 0},
                                          {4, 3},
                                          {3, 4},
                                          {0, 5},
                                          {-3, 4},
                                          {-4, 3},
                                          {-5, 0},
                                          {-4, -3},
                                          {-3, -4},
                                          {0, -5},
                                          {3, -4},
                                          {4, -3}}};
  for (int round = 0; round < 1000; ++round) {
    std::array<std::size_t, 12> order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    std::shuffle(order.begin(), order.end(), random);
    std::sort(order.begin(), order.begin() + 4);
    const int scale = 1 + static_cast<int>(random() % 1000000);
    const auto at = [&](int i) {
      const Point p = circle[order[static_cast<std::size_t>(i)]];
      return Point{p.x * scale + 7, p.y * scale - 9};
    };
    check_tie(at(0), at(1), at(2), at(3));
  }
}

TEST_CASE("between means on the open segment") {
  CHECK(between({0, 0}, {4, 4}, {1, 1}));
  CHECK(between({4, 4}, {0, 0}, {1, 1}));
  CHECK_FALSE(between({0, 0}, {4, 4}, {5, 5}));
  CHECK_FALSE(between({0, 0}, {4, 4}, {-1, -1}));
  CHECK(between({2, 9}, {2, -9}, {2, 0}));
  CHECK_FALSE(between({2, 9}, {2, -9}, {2, 10}));
}

}  // namespace delaunay
