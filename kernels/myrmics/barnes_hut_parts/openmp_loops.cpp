// SPDX-License-Identifier: Apache-2.0
//
// The same simulation as OpenMP's parallel loops over the portions; only the bisection is made of
// tasks.
#include "myrmics/barnes_hut_parts/plain_tree.hpp"

namespace barnes_hut {
namespace {

void bisect(Node& node) {
  if (node.portion != nullptr) return;
  divide(node);
#pragma omp task shared(node)
  bisect(*node.left);
  bisect(*node.right);
#pragma omp taskwait
}

// Called by all threads.
void step(const Parted& bodies, const std::vector<Portion*>& portions,
          std::vector<PlainTree>& trees) {
  const std::size_t count = portions.size();
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (std::size_t i = 0; i < count; ++i) drift(*portions[i], bodies.settings.time_step);
#pragma omp single
  bisect(*bodies.root.node);
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (std::size_t i = 0; i < count; ++i) plant(*portions[i], trees[i]);
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (std::size_t i = 0; i < count; ++i) {
    for (const PlainTree& tree : trees) {
      attract(*portions[i], tree.cells.front(), {.opening = bodies.settings.opening});
    }
    kick_and_drift(*portions[i], bodies.settings.time_step);
  }
}

}  // namespace
}  // namespace barnes_hut

void barnes_hut_parts_tasks(barnes_hut::Parted& bodies) {
  const std::vector<barnes_hut::Portion*> portions = portions_of(*bodies.root.node);
  std::vector<barnes_hut::PlainTree> trees(portions.size());
#pragma omp parallel
  for (std::int64_t i = 0; i < bodies.settings.steps; ++i) {
    barnes_hut::step(bodies, portions, trees);
  }
}
