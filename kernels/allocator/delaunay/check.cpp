// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace delaunay {
namespace {

// All triangles that can be reached, ghosts included.
std::vector<const Triangle*> all_triangles(const Triangle* hull) {
  if (hull == nullptr) return {};
  std::vector<const Triangle*> found{hull};
  std::unordered_set<const Triangle*> seen{hull};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Triangle* next : found[i]->neighbour) {
      if (seen.insert(next).second) found.push_back(next);
    }
  }
  return found;
}

Corners corners_of(const Triangle& t) {
  Corners corners{t.vertex[0].index, t.vertex[1].index, t.vertex[2].index};
  std::ranges::rotate(corners, std::ranges::min_element(corners));
  return corners;
}

std::string name(const Triangle& t) {
  const auto [a, b, c] = corners_of(t);
  return fmt::format("triangle {} {} {}", a, b, c);
}

std::string find_fault_at_edge(const Triangle& t, int edge) {
  const Triangle& other = *t.neighbour[edge];
  const int back = other.edge_to(&t);
  if (other.neighbour[back] != &t ||
      other.vertex[kNext[back]].index != t.vertex[kPrevious[edge]].index ||
      other.vertex[kPrevious[back]].index != t.vertex[kNext[edge]].index) {
    return fmt::format("{} and {} are linked, but not by a common edge", name(t), name(other));
  }
  const Vertex& apex = other.vertex[back];
  if (apex.index != kInfinity && in_conflict(t, apex.point)) {
    return fmt::format("the circle of {} holds point {}", name(t), apex.index);
  }
  return "";
}

std::string find_fault_in(const Triangle& t) {
  const auto& [a, b, c] = t.vertex;
  if (!t.is_ghost() && orientation(a.point, b.point, c.point) <= 0) {
    return fmt::format("{} does not turn left", name(t));
  }
  for (int edge = 0; edge < 3; ++edge) {
    if (std::string fault = find_fault_at_edge(t, edge); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace

std::vector<Corners> triangle_list(const Triangle* hull) {
  std::vector<Corners> list;
  for (const Triangle* t : all_triangles(hull)) {
    if (!t->is_ghost()) list.push_back(corners_of(*t));
  }
  std::ranges::sort(list);
  return list;
}

std::string find_fault(const Triangle* hull, std::size_t points) {
  if (hull == nullptr) return "";
  const std::vector<const Triangle*> triangles = all_triangles(hull);
  std::unordered_set<PointIndex> corners;
  for (const Triangle* t : triangles) {
    if (std::string fault = find_fault_in(*t); !fault.empty()) return fault;
    for (const Vertex& vertex : t->vertex) corners.insert(vertex.index);
  }
  if (corners.size() != points + 1) {  // with the point at infinity
    return fmt::format("{} of {} points are in the mesh", corners.size() - 1, points);
  }
  if (triangles.size() != 2 * points - 2) {  // Euler's formula, on the closed surface
    return fmt::format("{} triangles and ghosts, not {}", triangles.size(), 2 * points - 2);
  }
  return "";
}

}  // namespace delaunay
