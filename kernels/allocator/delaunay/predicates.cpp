// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/predicates.hpp"

#include <initializer_list>

namespace delaunay {
namespace {

// The order of the lifts: which of two different points is lifted infinitely more.
bool lifted_more(Point a, Point b) noexcept { return a.x != b.x ? a.x > b.x : a.y > b.y; }

}  // namespace

// The determinant is linear in the lifts, and the largest lift alone decides. Its coefficient is
// the orientation of the other three points, which is not 0: no three points of a circle lie on a
// line.
bool in_circle_tie(Point a, Point b, Point c, Point d) noexcept {
  Point top = a;
  for (const Point candidate : {b, c, d}) {
    if (lifted_more(candidate, top)) top = candidate;
  }
  if (top == d) return false;  // -orientation(a, b, c), and these turn left
  if (top == a) return orientation(b, c, d) > 0;
  if (top == b) return orientation(c, a, d) > 0;
  return orientation(a, b, d) > 0;
}

}  // namespace delaunay
