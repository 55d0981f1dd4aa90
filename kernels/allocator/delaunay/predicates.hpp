// SPDX-License-Identifier: Apache-2.0
//
// The two questions a Delaunay triangulation asks of its points, answered exactly. Coordinates are
// integers of at most 30 bits with sign, so that all intermediate values fit into 64 and 128 bits:
// nothing is ever rounded, and no floating-point filter is needed to be fast (an exact in_circle()
// is about 20 multiplies).
//
// Four points on one circle have two Delaunay triangulations. To make the answer unique, whatever
// the order of insertion, each point is thought to be lifted by its own infinitesimal amount, the
// larger the further right (then the further up) it lies. See "Simulation of simplicity",
// Edelsbrunner and Muecke, 1990.
#pragma once

#include <cstdint>

namespace delaunay {

struct Point {
  std::int32_t x;
  std::int32_t y;
  friend constexpr bool operator==(Point, Point) noexcept = default;
};

// Bounds every |coordinate|: differences then have 30 bits, orientations 61, in-circle determinants
// 124.
inline constexpr std::int32_t kCoordinateMax = 1 << 29;

__extension__ using Int128 = __int128;

// Twice the area of the triangle abc: positive if it turns left, 0 if the points lie on a line.
[[nodiscard]] constexpr std::int64_t orientation(Point a, Point b, Point c) noexcept {
  const std::int64_t ax = std::int64_t{a.x} - c.x, ay = std::int64_t{a.y} - c.y;
  const std::int64_t bx = std::int64_t{b.x} - c.x, by = std::int64_t{b.y} - c.y;
  return ax * by - ay * bx;
}

// Positive if d lies inside the circle through a, b, c (which turn left), 0 if on it, negative
// outside.
[[nodiscard]] constexpr Int128 in_circle_determinant(Point a, Point b, Point c, Point d) noexcept {
  const std::int64_t ax = std::int64_t{a.x} - d.x, ay = std::int64_t{a.y} - d.y;
  const std::int64_t bx = std::int64_t{b.x} - d.x, by = std::int64_t{b.y} - d.y;
  const std::int64_t cx = std::int64_t{c.x} - d.x, cy = std::int64_t{c.y} - d.y;
  return Int128{ax * ax + ay * ay} * (bx * cy - by * cx) +
         Int128{bx * bx + by * by} * (cx * ay - cy * ax) +
         Int128{cx * cx + cy * cy} * (ax * by - ay * bx);
}

// in_circle() for four different points that do lie on one circle.
[[nodiscard]] bool in_circle_tie(Point a, Point b, Point c, Point d) noexcept;

// Whether d lies inside the circle through a, b, c after the infinitesimal lifts.
// REQUIRES: orientation(a, b, c) > 0 and d differs from all three.
[[nodiscard]] inline bool in_circle(Point a, Point b, Point c, Point d) noexcept {
  const Int128 determinant = in_circle_determinant(a, b, c, d);
  if (__builtin_expect(determinant == 0, 0)) return in_circle_tie(a, b, c, d);
  return determinant > 0;
}

// Whether c lies on the open segment ab. REQUIRES: the three lie on a line and differ.
[[nodiscard]] constexpr bool between(Point a, Point b, Point c) noexcept {
  if (a.x != b.x) return (a.x < c.x) == (c.x < b.x);
  return (a.y < c.y) == (c.y < b.y);
}

}  // namespace delaunay
