// SPDX-License-Identifier: Apache-2.0
//
// The Barnes-Hut octree: a cell has up to eight children, or is a leaf with a few points. The
// shape depends on the points only and every sum has a fixed order, so the tree has the same bits
// however it is built, in one piece (build) or subtree by subtree (split, then summarise). Leaves
// hold copies of the bodies' points: a task that may read the tree needs nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "methods/bodies/body.hpp"

// Functions that declare computing time (chip/work.h): split, summarise, attraction.
namespace barnes_hut {

struct Cell {
  Point centre;      // centre of mass, and the mass
  double width = 0;  // of its cube
  int depth = 0;     // how many cells are around it
  std::array<Cell*, 8> children{};
  std::span<const Point> points;  // of a leaf
};

struct Cube {
  Vector low;
  double width = 0;

  // The part of the cube in direction `index`: bit 0 is set for the upper half in x, 1 in y, 2 in
  // z.
  [[nodiscard]] Cube octant(std::size_t index) const;
};

// Points and the cube around them. `depth` counts the cubes around this one.
struct Cluster {
  std::span<Point> points;
  Cube cube;
  int depth = 0;

  [[nodiscard]] bool is_small() const { return points.size() <= kLeafPoints || depth == kDepthMax; }

  static constexpr std::size_t kLeafPoints = 8;
  static constexpr int kDepthMax = 60;  // points so close together share a leaf
};

// A cluster around all points, which it refers to.
[[nodiscard]] Cluster surround(std::span<Point> points);

// Sorts the points of a cluster by octant, keeping their order within each, and returns the eight
// parts.
[[nodiscard]] std::array<Cluster, 8> split(const Cluster& cluster, std::vector<Point>& scratch);

// Sets the centre of mass from the cell's points or from its children's centres.
void summarise(Cell& cell);

// How a tree is walked to find the attraction of its masses.
struct Walk {
  double opening;                      // as in Settings
  int depth_max = Cluster::kDepthMax;  // cells at this depth count as one point however near
};

// The acceleration that the tree's masses cause at a place, and of how many points it is the sum.
struct Attraction {
  Vector acceleration;
  std::uint64_t points = 0;
};
[[nodiscard]] Attraction attraction(const Cell& root, const Vector& place, const Walk& walk);

// Whether a cell counts as one point at this offset from its centre.
[[nodiscard]] inline bool is_far(const Cell& cell, double square_distance, double opening) {
  return cell.width * cell.width < opening * opening * square_distance;
}

// Builds the subtree of a cluster below `cell`; `make_cell` returns new cells.
template <class MakeCell>
void build(Cell& cell, const Cluster& cluster, std::vector<Point>& scratch,
           const MakeCell& make_cell) {
  cell.width = cluster.cube.width;
  cell.depth = cluster.depth;
  if (cluster.is_small()) {
    cell.points = cluster.points;
  } else {
    const std::array<Cluster, 8> parts = split(cluster, scratch);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].points.empty()) continue;
      cell.children[i] = make_cell();
      build(*cell.children[i], parts[i], scratch, make_cell);
    }
  }
  summarise(cell);
}

}  // namespace barnes_hut
