// SPDX-License-Identifier: Apache-2.0
//
// A mountain skyline by midpoint displacement, kept in a binary tree: each node stands over an
// interval, holds the height in its middle (the mean of both ends, moved by chance), and has a
// child for either half. Read in order, the tree is the skyline from left to right. serial.cpp
// and tasks.cpp build it; what both share is here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <myr/myr.hpp>

#include "common/random.hpp"

namespace tree {

struct Node {
  double height = 0;
  Node* left = nullptr;
  Node* right = nullptr;
  myr::Region left_region =
      {};  // where the left subtree lives, in the upper part of the task version's
  myr::Region right_region =
      {};  // tree; elsewhere the root region, which means: no region of its own
};

// The stretch of land under a node.
struct Interval {
  double left_height = 0;
  double right_height = 0;
  double roughness = 1;     // how far chance may move the middle
  std::uint64_t index = 1;  // of the node: the root is 1, the children of i are 2 i and 2 i + 1

  [[nodiscard]] Interval left_half(double middle) const {
    return {left_height, middle, roughness * 0.58, 2 * index};
  }
  [[nodiscard]] Interval right_half(double middle) const {
    return {middle, right_height, roughness * 0.58, 2 * index + 1};
  }
};

// The height in the middle. A sum of twelve uniform numbers is close to normally distributed.
[[nodiscard]] inline double middle_height(const Interval& interval) {
  kernels::Random random(interval.index);
  double chance = -6;
  for (int i = 0; i < 12; ++i) chance += random.uniform();
  return (interval.left_height + interval.right_height) / 2 + interval.roughness * chance;
}

// What is left of a tree when it has been read.
struct Skyline {
  std::uint64_t nodes = 0;
  std::uint64_t digest = 0;  // depends on every bit and on the order of all heights
  double peak = 0;

  void add(double height) {
    nodes += 1;
    digest = kernels::scramble(digest ^ std::bit_cast<std::uint64_t>(height));
    peak = std::max(peak, height);
  }
  bool operator==(const Skyline&) const = default;
};

// Reads the tree from left to right.
inline void read(const Node* node, Skyline& skyline) {
  if (node == nullptr) return;
  read(node->left, skyline);
  skyline.add(node->height);
  read(node->right, skyline);
}

// A tree of 2^levels - 1 nodes, built, filled with heights and read.
[[nodiscard]] Skyline run_serial(std::int64_t levels);
// The same as tasks; subtrees from `task_levels` below the root on are left to one task each.
[[nodiscard]] Skyline run_tasks(std::int64_t levels, std::int64_t task_levels);

}  // namespace tree
