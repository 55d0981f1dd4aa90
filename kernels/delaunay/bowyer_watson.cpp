// SPDX-License-Identifier: Apache-2.0
#include "delaunay/bowyer_watson.hpp"

#include "delaunay/curve.hpp"

namespace delaunay {
namespace {

// An edge of t, not the one to `from`, that has p strictly beyond it; -1 if there is none.
int edge_towards(const Triangle& t, const Triangle* from, Point p) noexcept {
  for (int i = 0; i < 3; ++i) {
    if (t.neighbour[i] == from) continue;
    if (orientation(t.vertex[kNext[i]].point, t.vertex[kPrevious[i]].point, p) < 0) return i;
  }
  return -1;
}

// The first point that is not on the line of the first two; 0 if all are.
std::size_t find_third(std::span<const Vertex> vertices) noexcept {
  for (std::size_t i = 2; i < vertices.size(); ++i) {
    if (orientation(vertices[0].point, vertices[1].point, vertices[i].point) != 0) return i;
  }
  return 0;
}

}  // namespace

Inserter::Inserter(TriangleList& unused, Triangle* hull)
    : unused_(unused), last_(hull->neighbour[hull->infinity()]), hull_(hull) {}

Inserter::Inserter(TriangleList& unused, Vertex a, Vertex b, Vertex c)
    : unused_(unused), last_(unused.pop()) {
  Triangle* const ghosts[3] = {unused.pop(), unused.pop(), unused.pop()};
  *last_ = Triangle{{ghosts[0], ghosts[1], ghosts[2]}, {a, b, c}};
  for (int i = 0; i < 3; ++i) {
    *ghosts[i] = make_ghost(last_->vertex[kPrevious[i]], last_->vertex[kNext[i]],
                            {last_, ghosts[kPrevious[i]], ghosts[kNext[i]]});
  }
  hull_ = ghosts[0];
}

void Inserter::insert(Vertex vertex) {
  dig(locate(vertex.point), vertex.point);
  fill(vertex);
}

// Walks towards the point, always across an edge that has it on the far side. In a Delaunay mesh
// such a walk cannot run in circles. Ends in the triangle that holds the point, or in a ghost that
// sees it.
Triangle* Inserter::locate(Point p) const noexcept {
  Triangle* from = nullptr;
  Triangle* at = last_;
  while (!at->is_ghost()) {
    const int edge = edge_towards(*at, from, p);
    if (edge < 0) break;
    from = at;
    at = at->neighbour[edge];
  }
  return at;
}

// Collects the cavity of p and, counter-clockwise, its border. No triangle is met twice: a cavity
// holds no vertex inside, so its triangles form a tree.
void Inserter::dig(Triangle* first, Point p) {
  cavity_.assign(1, first);
  border_.clear();
  crossings_.clear();
  for (const int edge : {2, 1, 0}) crossings_.push_back({first, edge});
  while (!crossings_.empty()) {
    const auto [from, edge] = crossings_.back();
    crossings_.pop_back();
    Triangle* next = from->neighbour[edge];
    const int back = next->edge_to(from);
    if (in_conflict(*next, p)) {
      cavity_.push_back(next);
      crossings_.push_back({next, kPrevious[back]});
      crossings_.push_back({next, kNext[back]});
    } else {
      border_.push_back({next, back, from->vertex[kNext[edge]], from->vertex[kPrevious[edge]]});
    }
  }
}

// Replaces the cavity by one triangle (a, b, p) for each edge of its border. If ghosts are dug out,
// new ones come in, so hull_ stays alive.
void Inserter::fill(Vertex vertex) {
  for (Triangle* old : cavity_) unused_.push(old);
  Triangle* const first = unused_.pop();
  Triangle* previous = nullptr;
  Triangle* at = first;
  for (std::size_t i = 0; i < border_.size(); ++i) {
    const Edge& edge = border_[i];
    Triangle* next = i + 1 < border_.size() ? unused_.pop() : first;
    *at = Triangle{{next, previous, edge.outer}, {edge.a, edge.b, vertex}};
    edge.outer->neighbour[edge.outer_edge] = at;
    (at->is_ghost() ? hull_ : last_) = at;
    previous = at;
    at = next;
  }
  first->neighbour[1] = previous;
}

Triangle* bowyer_watson(std::span<Vertex> vertices, TriangleList& unused) {
  sort_along_curve(vertices);
  const std::size_t third = find_third(vertices);
  if (third == 0) return nullptr;
  Vertex a = vertices[0], b = vertices[1], c = vertices[third];
  if (orientation(a.point, b.point, c.point) < 0) std::swap(b, c);
  Inserter mesh(unused, a, b, c);
  visit_in_rounds(vertices.size(), [&](std::size_t i) {
    if (i != 1 && i != third) mesh.insert(vertices[i]);
  });
  return mesh.hull();
}

}  // namespace delaunay
