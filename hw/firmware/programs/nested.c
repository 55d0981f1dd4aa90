/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of nested.h. What a node of a tree becomes follows from its children, so a parent that
 * does not wait for them changes the end; so does a task that does not wait for the one before it
 * on its cell. Every third node has a dependence, which children of a task may have as well.
 */
#include "nested.h"

static uint64_t mix(uint64_t a, uint64_t b) {
  const uint64_t mixed = (a ^ b) * 0x9e3779b97f4a7c15u;
  return mixed ^ mixed >> 31;
}

static void grow(struct tree* nodes, size_t node, size_t levels) {
  if (levels == 0) {
    nodes[node].sum = mix(nodes[node].sum, node);
    return;
  }
  struct tree* left = nodes + 2 * node;
  const size_t left_node = 2 * node;
  const size_t right_node = 2 * node + 1;
  const size_t below = levels - 1;
  if (node % 3 == 0) {
#pragma omp task inout(*left)
    grow(nodes, left_node, below);
  } else {
#pragma omp task
    grow(nodes, left_node, below);
  }
#pragma omp task
  grow(nodes, right_node, below);
#pragma omp taskwait
  nodes[node].sum = mix(nodes[2 * node].sum, nodes[2 * node + 1].sum);
}

static void run_task(struct tree* nodes, struct tree* cell, size_t levels) {
  grow(nodes, 1, levels);
  cell->sum = mix(cell->sum, nodes[1].sum);
}

void nested_run(struct nested* all) {
  const size_t levels = all->levels;
  for (size_t i = 0; i < all->tasks; ++i) {
    struct tree* nodes = all->trees[i];
    struct tree* cell = all->cells[i % all->cell_count];
#pragma omp task inout(*cell)
    run_task(nodes, cell, levels);
  }
#pragma omp taskwait
}
