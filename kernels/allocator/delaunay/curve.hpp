// SPDX-License-Identifier: Apache-2.0
//
// The order of insertion. Vertices are sorted along a Hilbert curve, so that near in the array
// means near in the plane, and inserted in rounds, so that the mesh grows evenly and each walk to a
// new point is short.
#pragma once

#include <cstddef>
#include <span>

#include "allocator/delaunay/triangle.hpp"

namespace delaunay {

// Sorts by the distance along a curve through the points' bounding square.
void sort_along_curve(std::span<Vertex> vertices);

// Calls visit(i) for 1 <= i < count: round by round, by falling number of trailing zeros of i. So
// each round halves the steps along the curve.
template <class Visit>
void visit_in_rounds(std::size_t count, Visit&& visit) {
  std::size_t step = 1;
  while (step < count) step *= 2;
  for (; step > 1; step /= 2) {
    for (std::size_t i = step / 2; i < count; i += step) visit(i);
  }
}

}  // namespace delaunay
