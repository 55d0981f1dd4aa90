// SPDX-License-Identifier: Apache-2.0
//
// The task program. Each node of the upper part of the tree has two sub-regions, one a subtree,
// and a task that holds a region may hand its sub-regions on to children: so each phase is a tree
// of tasks, too. No task waits for another; the regions alone put `process` after `grow` and
// `read` after all of `process`.
#include "myrmics/tree/tree.hpp"

namespace tree {
namespace {

constexpr myr::Region kNoRegion{};

// Builds the subtree below `node` in `region`. `task_levels` says how many levels of tasks are
// still to come.
void grow(myr::Region region, Node* node, std::int64_t levels, std::int64_t task_levels) {
  if (levels == 1) return;
  if (task_levels == 0) {
    node->left = region.make<Node>();
    grow(region, node->left, levels - 1, 0);
    node->right = region.make<Node>();
    grow(region, node->right, levels - 1, 0);
    return;
  }
  node->left_region = myr::Region::create(region);
  node->right_region = myr::Region::create(region);
  node->left = node->left_region.make<Node>();
  node->right = node->right_region.make<Node>();
  myr::spawn(grow, myr::inout(node->left_region), node->left, levels - 1, task_levels - 1);
  myr::spawn(grow, myr::inout(node->right_region), node->right, levels - 1, task_levels - 1);
}

// Sets the heights of a subtree; `region` is where it lives.
void process(myr::Region region, Node* node, Interval interval) {
  node->height = middle_height(interval);
  if (node->left == nullptr) return;
  const Interval left = interval.left_half(node->height);
  const Interval right = interval.right_half(node->height);
  if (node->left_region == kNoRegion) {
    process(region, node->left, left);
    process(region, node->right, right);
  } else {
    myr::spawn(process, myr::inout(node->left_region), node->left, left);
    myr::spawn(process, myr::inout(node->right_region), node->right, right);
  }
}

}  // namespace

Skyline run_tasks(std::int64_t levels, std::int64_t task_levels) {
  const myr::Region top = myr::Region::create();
  Node* root = top.make<Node>();
  Skyline skyline;
  myr::spawn(grow, myr::inout(top), root, levels, task_levels);
  myr::spawn(process, myr::inout(top), root, Interval{});
  // One task that reads all of the tree: it may follow any pointer in it.
  myr::spawn(
      myr::uses(myr::in(top)), [](const Node* node, Skyline& result) { read(node, result); }, root,
      myr::inout(skyline));
  top.free();  // after the tasks that use it
  myr::wait_all();
  return skyline;
}

}  // namespace tree
