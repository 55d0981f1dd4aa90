// SPDX-License-Identifier: Apache-2.0
//
// The same simulation with OpenMP's tasks: portions and trees order them.
#include "myrmics/barnes_hut_parts/plain_tree.hpp"

namespace barnes_hut {
namespace {

void bisect(Node& node) {
  if (node.portion != nullptr) return;
  divide(node);
#pragma omp task shared(node)
  bisect(*node.left);
#pragma omp task shared(node)
  bisect(*node.right);
#pragma omp taskwait
}

void step(const Parted& bodies, const std::vector<Portion*>& portions) {
  const Settings settings = bodies.settings;
  for (Portion* portion : portions) {
#pragma omp task firstprivate(portion, settings)
    drift(*portion, settings.time_step);
  }
#pragma omp taskwait
  bisect(*bodies.root.node);

  std::vector<PlainTree> trees(portions.size());
  for (std::size_t i = 0; i < portions.size(); ++i) {
    Portion* const portion = portions[i];
    PlainTree* const tree = &trees[i];
#pragma omp task firstprivate(portion, tree), depend(in : *portion), depend(out : *tree)
    plant(*portion, *tree);
  }
  for (Portion* portion : portions) {
    for (PlainTree& tree_of_other : trees) {
      PlainTree* const tree = &tree_of_other;
#pragma omp task firstprivate(portion, tree, settings), depend(in : *tree), depend(inout : *portion)
      attract(*portion, tree->cells.front(), {.opening = settings.opening});
    }
#pragma omp task firstprivate(portion, settings), depend(inout : *portion)
    kick_and_drift(*portion, settings.time_step);
  }
#pragma omp taskwait
}

}  // namespace
}  // namespace barnes_hut

void barnes_hut_parts_tasks(barnes_hut::Parted& bodies) {
  const std::vector<barnes_hut::Portion*> portions = portions_of(*bodies.root.node);
#pragma omp parallel
#pragma omp single
  for (std::int64_t i = 0; i < bodies.settings.steps; ++i) {
    barnes_hut::step(bodies, portions);
  }
}
