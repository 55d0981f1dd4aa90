// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/bowyer_watson.hpp"

#include "allocator/delaunay/curve.hpp"

namespace delaunay {

int edge_towards(const Triangle& t, const Triangle* from, Point p) noexcept {
  for (int i = 0; i < 3; ++i) {
    if (t.neighbour[i] == from) continue;
    if (orientation(t.vertex[kNext[i]].point, t.vertex[kPrevious[i]].point, p) < 0) return i;
  }
  return -1;
}

namespace {

// The first point that is not on the line of the first two; 0 if all are.
std::size_t find_third(std::span<const Vertex> vertices) noexcept {
  for (std::size_t i = 2; i < vertices.size(); ++i) {
    if (orientation(vertices[0].point, vertices[1].point, vertices[i].point) != 0) return i;
  }
  return 0;
}

}  // namespace

Triangle* bowyer_watson(std::span<Vertex> vertices, TriangleList& unused) {
  sort_along_curve(vertices);
  const std::size_t third = find_third(vertices);
  if (third == 0) return nullptr;
  Vertex a = vertices[0], b = vertices[1], c = vertices[third];
  if (orientation(a.point, b.point, c.point) < 0) std::swap(b, c);
  Inserter<TriangleList> mesh(unused, a, b, c);
  visit_in_rounds(vertices.size(), [&](std::size_t i) {
    if (i != 1 && i != third) mesh.insert(vertices[i]);
  });
  return mesh.hull();
}

}  // namespace delaunay
