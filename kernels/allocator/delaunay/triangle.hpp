// SPDX-License-Identifier: Apache-2.0
//
// A triangle of a mesh, linked to its three neighbours by plain pointers. A mesh closes over the
// outside of its points: each edge of their convex hull has a ghost triangle beyond it, whose third
// vertex is the point at infinity. So every triangle has three neighbours, a point outside the hull
// is no special case, and a mesh of n points has exactly 2n - 2 triangles.
//
// Invariants
//   1. Vertices turn left. neighbour[i] lies across the edge opposite vertex i, and points back.
//   2. In a ghost, the two other vertices after the one at infinity, a then b, have the outside on
//      the left of a -> b: along a -> b one goes clockwise around the hull.
#pragma once

#include <cstdint>

#include "allocator/delaunay/predicates.hpp"

namespace delaunay {

using PointIndex = std::uint32_t;
inline constexpr PointIndex kInfinity = 0xFFFFFFFF;

// A point and its place in the input.
struct Vertex {
  Point point;
  PointIndex index;
};

// (i + 1) % 3 and (i + 2) % 3: from corner i, the next and the previous counter-clockwise.
inline constexpr int kNext[3] = {1, 2, 0};
inline constexpr int kPrevious[3] = {2, 0, 1};

struct alignas(64) Triangle {  // one cache line, one slot of the region allocator
  Triangle* neighbour[3];
  Vertex vertex[3];
  std::uint32_t square;  // of the grid, plus one, in programs with one (squares.hpp)

  // The edge shared with a neighbour.
  [[nodiscard]] int edge_to(const Triangle* other) const noexcept {
    return neighbour[0] == other ? 0 : neighbour[1] == other ? 1 : 2;
  }
  [[nodiscard]] bool is_ghost() const noexcept {
    return vertex[0].index == kInfinity || vertex[1].index == kInfinity ||
           vertex[2].index == kInfinity;
  }
  // Which vertex of a ghost is the point at infinity.
  [[nodiscard]] int infinity() const noexcept {
    return vertex[0].index == kInfinity ? 0 : vertex[1].index == kInfinity ? 1 : 2;
  }
};
static_assert(sizeof(Triangle) == 64);

// Makes `t` the triangle of these corners. In a ghost the first one is at infinity, then come a
// and b of the hull edge a -> b; its neighbours are the triangle inside, then the next and the
// previous ghost clockwise.
inline void set_links(Triangle& t, Triangle* const (&neighbour)[3],
                      const Vertex (&vertex)[3]) noexcept {
  for (int i = 0; i < 3; ++i) t.neighbour[i] = neighbour[i];
  for (int i = 0; i < 3; ++i) t.vertex[i] = vertex[i];
}

// The ghost beyond the hull edge a -> b; see set_links().
[[nodiscard]] inline Triangle make_ghost(Vertex a, Vertex b, Triangle* const (&links)[3]) noexcept {
  return Triangle{{links[0], links[1], links[2]}, {Vertex{{0, 0}, kInfinity}, a, b}, 0};
}

// Whether inserting `p` must remove `t`: p lies inside its circle. A ghost's circle is the half
// plane beyond its edge, with the open edge itself. REQUIRES: p is no vertex of t.
[[nodiscard]] inline bool in_conflict(const Triangle& t, Point p) noexcept {
  if (__builtin_expect(t.is_ghost(), 0)) {
    const int infinity = t.infinity();
    const Point a = t.vertex[kNext[infinity]].point, b = t.vertex[kPrevious[infinity]].point;
    const std::int64_t side = orientation(a, b, p);
    return side > 0 || (side == 0 && between(a, b, p));
  }
  return in_circle(t.vertex[0].point, t.vertex[1].point, t.vertex[2].point, p);
}

}  // namespace delaunay
