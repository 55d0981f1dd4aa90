// SPDX-License-Identifier: Apache-2.0
//
// A binary tree, each side in a region of its own, built and summed by tasks.
#include <cstdio>
#include <myr/myr.hpp>

struct Node {
  myr::Region left_region, right_region;  // what hangs below, each side in a region of its own
  Node* left = nullptr;
  Node* right = nullptr;
  long value = 0;
};

// Holds `region` for writing: makes the children in sub-regions, and hands these on to child tasks.
void grow(myr::Region region, Node* node, int depth) {
  node->value = depth;
  if (depth == 0) return;
  node->left_region = myr::Region::create(region);
  node->right_region = myr::Region::create(region);
  node->left = node->left_region.make<Node>();
  node->right = node->right_region.make<Node>();
  myr::spawn(grow, myr::inout(node->left_region), node->left, depth - 1);
  myr::spawn(grow, myr::inout(node->right_region), node->right, depth - 1);
}  // no wait: whoever uses the region next waits for exactly the tasks that are still in it

long sum_of(const Node* node) {
  if (node == nullptr) return 0;
  return node->value + sum_of(node->left) + sum_of(node->right);
}

int main() {
  myr::OwnedRegion tree;  // freed at }, after its tasks, with all its regions
  Node* root = tree.make<Node>();
  myr::spawn(grow, myr::inout(tree), root, 16);
  // Reads the whole tree through plain pointers, so it runs after everything that grows in it.
  myr::Future<long> all = myr::async(myr::uses(myr::in(tree)), sum_of, root);
  myr::wait(myr::in(tree));  // main may look itself, as soon as nobody writes
  const long left = sum_of(root->left);
  std::printf("%ld below the left child, %ld in all\n", left, all.get());
}
