// SPDX-License-Identifier: Apache-2.0
//
// The plain program: what tasks.cpp must equal, bit for bit. Its nodes come from a std::deque,
// the cheapest plain allocation there is, so that a speed-up is never owed to a slow malloc().
#include <deque>

#include "myrmics/tree/tree.hpp"

namespace tree {
namespace {

Node* grow(std::deque<Node>& nodes, std::int64_t levels) {
  if (levels == 0) return nullptr;
  Node* node = &nodes.emplace_back();
  node->left = grow(nodes, levels - 1);
  node->right = grow(nodes, levels - 1);
  return node;
}

void process(Node* node, const Interval& interval) {
  node->height = middle_height(interval);
  if (node->left == nullptr) return;
  process(node->left, interval.left_half(node->height));
  process(node->right, interval.right_half(node->height));
}

}  // namespace

Skyline run_serial(std::int64_t levels) {
  std::deque<Node> nodes;
  Node* root = grow(nodes, levels);
  process(root, Interval{});
  Skyline skyline;
  read(root, skyline);
  return skyline;
}

}  // namespace tree
