// SPDX-License-Identifier: Apache-2.0
//
// With the lower mesh on the left and the upper one on the right, the gap is closed upwards.
// Between the hulls lies the base, an edge from l on the left to r on the right, with a ghost above
// it; this ghost and those of both hulls form one ring from the first step on:
//
//           \ left ghost |  base ghost  | right ghost /
//            \           |              |           /
//             left's a   |              |   right's b
//                     \  |              |  /
//                       l ------------- r
//
// Three steps change the ring, and each leaves a closed mesh: bridge() lays the first base, split()
// takes a triangle away behind a ghost, which leaves two ghosts, and cap() is its reverse: of two
// ghosts it makes a triangle under one ghost. Only bridge() needs new triangles. For a while two
// ghosts may share an edge (a vertex can lose its last triangle), so links are always addressed by
// their role, never searched for.
#include "allocator/delaunay/seam.hpp"

namespace delaunay {
namespace {

// A ghost, with its parts by their roles.
struct Hull {
  Triangle* ghost;
  int infinity;
  explicit Hull(Triangle* t) noexcept : ghost(t), infinity(t->infinity()) {}

  [[nodiscard]] Vertex& a() const noexcept { return ghost->vertex[kNext[infinity]]; }
  [[nodiscard]] Vertex& b() const noexcept { return ghost->vertex[kPrevious[infinity]]; }
  [[nodiscard]] Triangle*& inside() const noexcept { return ghost->neighbour[infinity]; }
  [[nodiscard]] Triangle*& next() const noexcept { return ghost->neighbour[kNext[infinity]]; }
  [[nodiscard]] Triangle*& previous() const noexcept {
    return ghost->neighbour[kPrevious[infinity]];
  }
  // Whether p lies strictly beyond the edge.
  [[nodiscard]] bool sees(Point p) const noexcept {
    return orientation(a().point, b().point, p) > 0;
  }
};

// The edge of `t` whose other side is the inside of the ghost `g`.
Triangle*& link_to_ghost(Triangle* t, const Triangle* g) noexcept {
  return t->neighbour[t->is_ghost() ? t->infinity() : t->edge_to(g)];
}

// The ghost (a, b) and the triangle behind it become the ghosts (a, apex) and (apex, b).
struct Pair {
  Triangle* first;
  Triangle* second;
};
Pair split(Triangle* ghost) noexcept {
  const Hull hull(ghost);
  Triangle* const inner = hull.inside();
  const int edge = inner->edge_to(ghost);
  const Vertex a = hull.a(), b = hull.b(), apex = inner->vertex[edge];
  Triangle* const beyond_a = inner->neighbour[kNext[edge]];      // across (a, apex)
  Triangle* const beyond_b = inner->neighbour[kPrevious[edge]];  // across (apex, b)
  Triangle* const next = hull.next();
  Triangle* const previous = hull.previous();
  link_to_ghost(beyond_a, inner) = ghost;
  Hull(next).previous() = inner;
  *ghost = make_ghost(a, apex, {beyond_a, inner, previous});
  *inner = make_ghost(apex, b, {beyond_b, next, ghost});
  return {ghost, inner};
}

// The neighbouring ghosts (a, b) and (b, c) become the triangle (a, b, c) and the ghost (a, c),
// returned.
Triangle* cap(Triangle* first, Triangle* second) noexcept {
  const Hull left(first), right(second);
  const Vertex a = left.a(), b = left.b(), c = right.b();
  Triangle* const behind_left = left.inside();
  Triangle* const behind_right = right.inside();
  Triangle* const next = right.next();
  Triangle* const previous = left.previous();
  link_to_ghost(behind_right, second) = first;
  Hull(previous).next() = second;
  *first = Triangle{{behind_right, second, behind_left}, {a, b, c}, 0};
  *second = make_ghost(a, c, {first, next, previous});
  return second;
}

// The ghost whose `a` has the highest key, or the lowest, of its hull.
Triangle* find_extreme(Triangle* ghost, Cut cut, bool highest) noexcept {
  Triangle* best = ghost;
  for (Triangle* at = Hull(ghost).next(); at != ghost; at = Hull(at).next()) {
    if ((cut.key(Hull(at).a().point) > cut.key(Hull(best).a().point)) == highest) best = at;
  }
  return best;
}

// The bottom of the gap: the ghost that leaves l clockwise and the ghost that arrives at r, such
// that no point of either mesh lies below the line lr.
Sides find_bottom(Sides hulls, Cut cut) noexcept {
  Triangle* left = find_extreme(hulls.lower, cut, true);
  Triangle* right = Hull(find_extreme(hulls.upper, cut, false)).previous();
  for (;;) {
    if (Hull(left).sees(Hull(right).b().point)) {
      left = Hull(left).next();
    } else if (Hull(right).sees(Hull(left).a().point)) {
      right = Hull(right).previous();
    } else {
      return {left, right};
    }
  }
}

// Lays the first base, with a ghost on each side. Returns the ghost above.
Triangle* bridge(Sides bottom, Triangle* const (&extra)[2]) noexcept {
  const auto [below, above] = extra;
  const Hull left(bottom.lower), right(bottom.upper);
  Triangle* const left_up = left.previous();
  Triangle* const right_up = right.next();
  *below = make_ghost(right.b(), left.a(), {above, left.ghost, right.ghost});
  *above = make_ghost(left.a(), right.b(), {below, right_up, left_up});
  left.previous() = right.next() = below;
  Hull(left_up).next() = Hull(right_up).previous() = above;
  return above;
}

}  // namespace

Triangle* join(Sides hulls, Cut cut, Triangle* const (&extra)[2]) noexcept {
  Triangle* base = bridge(find_bottom(hulls, cut), extra);
  for (;;) {
    const Point l = Hull(base).a().point, r = Hull(base).b().point;
    Triangle* left = Hull(base).previous();
    Triangle* right = Hull(base).next();
    const auto above_base = [&](Point p) { return orientation(l, r, p) > 0; };
    while (above_base(Hull(left).a().point) && in_conflict(*Hull(left).inside(), r)) {
      left = split(left).second;
    }
    while (above_base(Hull(right).b().point) && in_conflict(*Hull(right).inside(), l)) {
      right = split(right).first;
    }
    const Point left_apex = Hull(left).a().point, right_apex = Hull(right).b().point;
    const bool left_fits = above_base(left_apex), right_fits = above_base(right_apex);
    if (!left_fits && !right_fits) return base;
    const bool take_right = !left_fits || (right_fits && in_circle(l, r, left_apex, right_apex));
    base = take_right ? cap(base, right) : cap(left, base);
  }
}

}  // namespace delaunay
