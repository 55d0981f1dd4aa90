// SPDX-License-Identifier: Apache-2.0
//
// sparse_lu.c as loops, with openmp_loops.c's steps: the pivot, then its row and its column, then
// all blocks beyond, a row of blocks an iteration. The waits between them are all the order that
// they need, so nothing is declared.
#include <myr/myr.hpp>

#include "picos/sparse_lu/sparse_lu.h"

namespace {

void update_row(const sparse_lu& m, std::size_t k, std::size_t i) {
  const std::size_t n = m.block_count;
  const double* below = m.blocks[i * n + k];
  if (below == nullptr) return;
  for (std::size_t j = k + 1; j < n; ++j) {
    const double* right = m.blocks[k * n + j];
    if (right != nullptr) update_block(below, right, m.blocks[i * n + j], m.side);
  }
}

void eliminate(const sparse_lu& m, std::size_t k) {
  const std::size_t n = m.block_count;
  const myr::Range beyond{k + 1, n};
  double* pivot = m.blocks[k * n + k];
  factor_block(pivot, m.side);
  myr::for_each(beyond, [=](std::size_t j) {
    double* right = m.blocks[k * n + j];
    if (right != nullptr) solve_lower(pivot, right, m.side);
  });
  myr::for_each(beyond, [=](std::size_t i) {
    double* below = m.blocks[i * n + k];
    if (below != nullptr) solve_upper(pivot, below, m.side);
  });
  myr::wait_all();
  myr::for_each(beyond, [=](std::size_t i) { update_row(m, k, i); });
  myr::wait_all();
}

}  // namespace

void sparse_lu_tasks(sparse_lu* m) {
  for (std::size_t k = 0; k < m->block_count; ++k) eliminate(*m, k);
}
