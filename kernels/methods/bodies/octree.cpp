// SPDX-License-Identifier: Apache-2.0
//
// The octree; see octree.hpp.
#include "methods/bodies/octree.hpp"

#include <algorithm>
#include <cmath>

#include "chip/costs.h"
#include "chip/work.h"

namespace barnes_hut {
namespace {

std::size_t octant_of(const Vector& place, const Vector& middle) {
  return (place.x >= middle.x ? 1U : 0U) | (place.y >= middle.y ? 2U : 0U) |
         (place.z >= middle.z ? 4U : 0U);
}

Vector middle_of(const Cube& cube) {
  const double half = cube.width / 2;
  return {cube.low.x + half, cube.low.y + half, cube.low.z + half};
}

// The pull of one point; softening keeps it finite, and zero for a body on itself.
Vector pull(const Point& point, const Vector& offset) {
  const double square = dot(offset, offset) + kSoftening * kSoftening;
  return point.mass / (square * std::sqrt(square)) * offset;
}

}  // namespace

Cube Cube::octant(std::size_t index) const {
  const Vector middle = middle_of(*this);
  return {{(index & 1U) != 0 ? middle.x : low.x, (index & 2U) != 0 ? middle.y : low.y,
           (index & 4U) != 0 ? middle.z : low.z},
          width / 2};
}

Cluster surround(std::span<Point> points) {
  if (points.empty()) return {};
  Vector low = points.front().position;
  Vector high = low;
  for (const Point& point : points) {
    const Vector& at = point.position;
    low = {std::min(low.x, at.x), std::min(low.y, at.y), std::min(low.z, at.z)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y), std::max(high.z, at.z)};
  }
  const Vector extent = high - low;
  return {points, {low, std::max({extent.x, extent.y, extent.z})}, 0};
}

std::array<Cluster, 8> split(const Cluster& cluster, std::vector<Point>& scratch) {
  const Vector middle = middle_of(cluster.cube);
  std::array<std::size_t, 8> counts{};
  for (const Point& point : cluster.points) counts[octant_of(point.position, middle)] += 1;

  std::array<Cluster, 8> parts;
  std::array<std::size_t, 8> next{};
  std::size_t first = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = {cluster.points.subspan(first, counts[i]), cluster.cube.octant(i),
                cluster.depth + 1};
    next[i] = first;
    first += counts[i];
  }
  scratch.assign(cluster.points.begin(), cluster.points.end());
  for (const Point& point : scratch) {
    cluster.points[next[octant_of(point.position, middle)]++] = point;
  }
  kernel_work(cluster.points.size() * COST_OCTANT);
  return parts;
}

void summarise(Cell& cell) {
  double mass = 0;
  Vector moment;
  std::uint64_t count = 1;
  const auto add = [&](const Point& point) {
    mass += point.mass;
    moment = moment + point.mass * point.position;
    count += 1;
  };
  for (const Point& point : cell.points) add(point);
  for (const Cell* child : cell.children) {
    if (child != nullptr) add(child->centre);
  }
  cell.centre = {mass > 0 ? 1 / mass * moment : Vector{}, mass};
  kernel_work(count * COST_SUMMARY);
}

Attraction attraction(const Cell& root, const Vector& place, const Walk& walk) {
  Attraction sum;
  const auto add = [&](const Point& point) {
    sum.acceleration = sum.acceleration + pull(point, point.position - place);
    sum.points += 1;
  };
  // A cell on the way down leaves at most seven siblings behind.
  std::array<const Cell*, 8 * (Cluster::kDepthMax + 1)> stack;
  std::size_t height = 0;
  std::uint64_t cells = 0;
  stack[height++] = &root;
  while (height > 0) {
    cells += 1;
    const Cell& cell = *stack[--height];
    const Vector offset = cell.centre.position - place;
    if (is_far(cell, dot(offset, offset), walk.opening)) {
      add(cell.centre);
      continue;
    }
    for (const Point& point : cell.points) add(point);
    if (cell.depth == walk.depth_max && cell.points.empty()) add(cell.centre);
    if (cell.depth == walk.depth_max) continue;
    for (const Cell* child : cell.children) {
      if (child != nullptr) stack[height++] = child;
    }
  }
  kernel_work(sum.points * COST_PULL + cells * COST_CELL);
  return sum;
}

}  // namespace barnes_hut
