// SPDX-License-Identifier: Apache-2.0
//
// Bowyer-Watson: inserts points into a Delaunay mesh one by one. A point is located by walking from
// a nearby triangle, the triangles whose circle holds it are dug out, and the cavity is filled with
// a fan around it. The serial program runs this on all points, the task program on the points of
// each leaf.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "allocator/delaunay/triangle.hpp"

namespace delaunay {

// The space (see Inserter) of a program that holds the whole mesh: a block of triangles, and those
// given back, linked by neighbour[0]. The block is touched piece by piece, because each triangle
// is a cache line to fetch.
class TriangleList {
 public:
  explicit TriangleList(std::span<Triangle> block) noexcept : block_(block) {}

  [[nodiscard]] static constexpr bool holds(const Triangle& /*any*/) noexcept { return true; }
  void give(Triangle* unused) noexcept {
    unused->neighbour[0] = first_;
    first_ = unused;
  }
  // REQUIRES: not all are in use.
  [[nodiscard]] Triangle* take(Vertex /*a*/, Vertex /*b*/, Vertex /*c*/) noexcept {
    if (first_ == nullptr) {
      Triangle* fresh = &block_.front();
      block_ = block_.subspan(1);
      return fresh;
    }
    Triangle* taken = first_;
    first_ = taken->neighbour[0];
    return taken;
  }

 private:
  Triangle* first_ = nullptr;
  std::span<Triangle> block_;
};

// How many triangles a mesh of so many points has, ghosts included.
[[nodiscard]] constexpr std::size_t mesh_triangles(std::size_t points) noexcept {
  return points < 3 ? 0 : 2 * points - 2;
}

// The edge of the cavity's border from a to b, counter-clockwise, with the triangle that stays
// beyond it.
struct CavityEdge {
  Triangle* outer;
  int outer_edge;
  Vertex a;
  Vertex b;
};

// An edge of t, not the one to `from`, that has p strictly beyond it; -1 if there is none.
[[nodiscard]] int edge_towards(const Triangle& t, const Triangle* from, Point p) noexcept;

// A mesh that points can be inserted into. `Space` says what of it may be touched and where
// triangles come from:
//   bool holds(const Triangle&)                     may it be read and changed?
//   Triangle* take(Vertex a, Vertex b, Vertex c)    memory for the triangle abc
//   void give(Triangle*)                            it is not used any more
template <class Space>
class Inserter {
 public:
  // Continues a mesh at a real triangle and a ghost of its hull.
  Inserter(Space& space, Triangle* start, Triangle* hull)
      : space_(space), last_(start), hull_(hull) {}
  // Continues a mesh, given a ghost of its hull.
  Inserter(Space& space, Triangle* hull)
      : Inserter(space, hull->neighbour[hull->infinity()], hull) {}
  // Starts a mesh with the triangle abc. REQUIRES: it turns left.
  Inserter(Space& space, Vertex a, Vertex b, Vertex c);

  // False: the walk to the point, or its cavity with the triangles around it, leave what the space
  // holds; then nothing has changed. REQUIRES: differs from all points of the mesh.
  bool insert(Vertex vertex) {
    Triangle* const first = locate(vertex.point);
    if (first == nullptr || !dig(first, vertex.point)) return false;
    fill(vertex);
    return true;
  }
  // A ghost of the mesh. REQUIRES: the space holds all triangles.
  [[nodiscard]] Triangle* hull() const noexcept { return hull_; }
  // A triangle of the last insertion: the next walk starts there.
  [[nodiscard]] Triangle* last() const noexcept { return last_; }

 private:
  struct Crossing {
    Triangle* from;
    int edge;
  };
  [[nodiscard]] Triangle* locate(Point p) const noexcept;
  [[nodiscard]] bool dig(Triangle* first, Point p);
  void fill(Vertex vertex);

  Space& space_;
  Triangle* last_;
  Triangle* hull_;
  std::vector<Triangle*> cavity_;
  std::vector<CavityEdge> border_;
  std::vector<Crossing> crossings_;
};

template <class Space>
Inserter<Space>::Inserter(Space& space, Vertex a, Vertex b, Vertex c)
    : space_(space), last_(space.take(a, b, c)) {
  const Vertex corner[3] = {a, b, c};
  Triangle* ghosts[3];
  for (int i = 0; i < 3; ++i) {
    ghosts[i] = space.take({{0, 0}, kInfinity}, corner[kPrevious[i]], corner[kNext[i]]);
  }
  set_links(*last_, {ghosts[0], ghosts[1], ghosts[2]}, {a, b, c});
  for (int i = 0; i < 3; ++i) {
    set_links(*ghosts[i], {last_, ghosts[kPrevious[i]], ghosts[kNext[i]]},
              {{{0, 0}, kInfinity}, corner[kPrevious[i]], corner[kNext[i]]});
  }
  hull_ = ghosts[0];
}

// Walks towards the point, always across an edge that has it on the far side. In a Delaunay mesh
// such a walk cannot run in circles. Ends in the triangle that holds the point, or in a ghost that
// sees it; nullptr: it would leave what the space holds.
template <class Space>
Triangle* Inserter<Space>::locate(Point p) const noexcept {
  Triangle* from = nullptr;
  Triangle* at = last_;
  while (!at->is_ghost()) {
    const int edge = edge_towards(*at, from, p);
    if (edge < 0) break;
    from = at;
    at = at->neighbour[edge];
    if (!space_.holds(*at)) return nullptr;
  }
  return at;
}

// Collects the cavity of p and, counter-clockwise, its border. No triangle is met twice: a cavity
// holds no vertex inside, so its triangles form a tree.
template <class Space>
bool Inserter<Space>::dig(Triangle* first, Point p) {
  cavity_.assign(1, first);
  border_.clear();
  crossings_.clear();
  for (const int edge : {2, 1, 0}) crossings_.push_back({first, edge});
  while (!crossings_.empty()) {
    const auto [from, edge] = crossings_.back();
    crossings_.pop_back();
    Triangle* next = from->neighbour[edge];
    if (!space_.holds(*next)) return false;
    const int back = next->edge_to(from);
    if (in_conflict(*next, p)) {
      cavity_.push_back(next);
      crossings_.push_back({next, kPrevious[back]});
      crossings_.push_back({next, kNext[back]});
    } else {
      border_.push_back({next, back, from->vertex[kNext[edge]], from->vertex[kPrevious[edge]]});
    }
  }
  return true;
}

// Replaces the cavity by one triangle (a, b, p) for each edge of its border. If ghosts are dug out,
// new ones come in, so hull_ stays alive.
template <class Space>
void Inserter<Space>::fill(Vertex vertex) {
  for (Triangle* old : cavity_) space_.give(old);
  const auto take = [&](const CavityEdge& edge) { return space_.take(edge.a, edge.b, vertex); };
  Triangle* const first = take(border_.front());
  Triangle* previous = nullptr;
  Triangle* at = first;
  for (std::size_t i = 0; i < border_.size(); ++i) {
    const CavityEdge& edge = border_[i];
    Triangle* next = i + 1 < border_.size() ? take(border_[i + 1]) : first;
    set_links(*at, {next, previous, edge.outer}, {edge.a, edge.b, vertex});
    edge.outer->neighbour[edge.outer_edge] = at;
    (at->is_ghost() ? hull_ : last_) = at;
    previous = at;
    at = next;
  }
  first->neighbour[1] = previous;
}

// Triangulates the vertices, which it sorts. Returns a ghost of the hull, or nullptr if all points
// lie on one line. REQUIRES: different points; `unused` holds mesh_triangles(vertices.size())
// triangles.
[[nodiscard]] Triangle* bowyer_watson(std::span<Vertex> vertices, TriangleList& unused);

}  // namespace delaunay
