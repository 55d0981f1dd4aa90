// SPDX-License-Identifier: Apache-2.0
//
// Joins two Delaunay meshes that a straight line separates into the Delaunay mesh of all their
// points, by closing the gap between them like a zip from the bottom to the top. A triangle beside
// the gap goes by the rule of Bowyer-Watson: if its circle holds a point of the other side. Follows
// Guibas and Stolfi, "Primitives for the manipulation of general subdivisions", 1985, on triangles
// with ghosts instead of edges.
#pragma once

#include <cstdint>

#include "allocator/delaunay/triangle.hpp"

namespace delaunay {

// The direction in which points are told apart: left to right, or bottom to top. Ties are broken as
// if the plane were turned by a hair, so that any two points differ, and the points below some key
// and the others can be separated by a straight line.
struct Cut {
  bool by_x;
  [[nodiscard]] std::int64_t key(Point p) const noexcept {
    const std::int64_t major = by_x ? p.x : p.y, minor = by_x ? p.y : -p.x;
    return major * (std::int64_t{1} << 32) + minor;
  }
};

// Two ghosts, each of another mesh, or of the same. All keys of `lower` are below those of `upper`.
struct Sides {
  Triangle* lower;
  Triangle* upper;
};

// Returns a ghost of the joined mesh. `extra`: the two triangles that it has more than its parts.
[[nodiscard]] Triangle* join(Sides hulls, Cut cut, Triangle* const (&extra)[2]) noexcept;

}  // namespace delaunay
