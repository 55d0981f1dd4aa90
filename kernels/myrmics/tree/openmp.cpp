// SPDX-License-Identifier: Apache-2.0
//
// The tree as an OpenMP program: a task for each subtree in the upper levels, and a taskwait
// between the phases. Each task takes its nodes from a std::deque of its own.
#include <deque>
#include <vector>

#include "myrmics/tree/tree.hpp"

namespace tree {
namespace {

using Pools = std::vector<std::deque<Node>>;  // by the index of the task's node

void grow_alone(std::deque<Node>& nodes, Node* node, std::int64_t levels) {
  if (levels == 1) return;
  node->left = &nodes.emplace_back();
  grow_alone(nodes, node->left, levels - 1);
  node->right = &nodes.emplace_back();
  grow_alone(nodes, node->right, levels - 1);
}

void grow(Pools& pools, std::size_t index, Node*& place, std::int64_t levels,
          std::int64_t task_levels) {
  std::deque<Node>& nodes = pools[index];
  Node* const node = place = &nodes.emplace_back();
  if (levels == 1) return;
  if (task_levels == 0) {
    grow_alone(nodes, node, levels);
    return;
  }
#pragma omp task shared(pools) firstprivate(index, node, levels, task_levels)
  grow(pools, 2 * index, node->left, levels - 1, task_levels - 1);
#pragma omp task shared(pools) firstprivate(index, node, levels, task_levels)
  grow(pools, 2 * index + 1, node->right, levels - 1, task_levels - 1);
}

void process(Node* node, Interval interval, std::int64_t task_levels) {
  node->height = middle_height(interval);
  if (node->left == nullptr) return;
  const Interval left = interval.left_half(node->height);
  const Interval right = interval.right_half(node->height);
  if (task_levels == 0) {
    process(node->left, left, 0);
    process(node->right, right, 0);
    return;
  }
#pragma omp task firstprivate(node, left, task_levels)
  process(node->left, left, task_levels - 1);
#pragma omp task firstprivate(node, right, task_levels)
  process(node->right, right, task_levels - 1);
}

}  // namespace

Skyline run_tasks(std::int64_t levels, std::int64_t task_levels) {
  Pools pools(std::size_t{2} << std::min(levels, task_levels));
  Node* root = nullptr;
  Skyline skyline;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    grow(pools, 1, root, levels, task_levels);
#pragma omp taskgroup
    process(root, Interval{}, task_levels);
    read(root, skyline);
  }
  return skyline;
}

}  // namespace tree
