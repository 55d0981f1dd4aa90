// SPDX-License-Identifier: Apache-2.0
//
// An octree without regions, for the OpenMP programs. Its cells come from a std::deque, the
// cheapest plain allocation there is.
#pragma once

#include <deque>
#include <vector>

#include "myrmics/barnes_hut_parts/parted.hpp"

namespace barnes_hut {

struct PlainTree {
  std::vector<Point> points;
  std::deque<Cell> cells;
};

// Builds the tree of a portion in place of the one before.
inline void plant(Portion& portion, PlainTree& tree) {
  tree.points.resize(portion.count);
  copy_points(portion, tree.points);
  std::vector<Point> scratch;
  tree.cells.clear();
  tree.cells.resize(1);
  build(tree.cells.front(), surround(tree.points), scratch,
        [&tree] { return &tree.cells.emplace_back(); });
}

}  // namespace barnes_hut
