// SPDX-License-Identifier: Apache-2.0
//
// poisson.c as loops over the blocks of rows, one a step. Nobody writes the source, so all of it is
// one access.
#include <myr/myr.hpp>

#include "picos/poisson/poisson.h"

void poisson_tasks(poisson* grid) {
  using myr::each;
  using myr::part;
  const std::size_t blocks = grid->block_count;
  const myr::Region source(grid->source_region);
  for (std::size_t step = 0; step < grid->steps; ++step) {
    double** from = grid->guesses[step % 2];
    double** to = grid->guesses[(step + 1) % 2];
    myr::for_each(myr::Range{0, blocks}, myr::in(source), myr::in(each(from, blocks), part.grow(1)),
                  myr::out(each(to, blocks), part), [=](std::size_t i) {
                    relax_rows(view_block(grid, step, i), grid->source[i], to[i], grid->block_rows,
                               grid->columns);
                  });
  }
  myr::wait_all();
}
