// SPDX-License-Identifier: Apache-2.0
//
// tiled_jacobi.c as loops over the rows and columns of tiles, one a step.
#include <myr/myr.hpp>

#include "bddt/tiled_jacobi/tiled_jacobi.h"

void tiled_jacobi_tasks(tiled_jacobi* grid) {
  using myr::part;
  using myr::parts;
  const std::size_t count = grid->tile_count;
  for (std::size_t step = 0; step < grid->steps; ++step) {
    const auto from = each(myr::tile(grid->grids[step % 2], count, count, count));
    const auto to = myr::tile(grid->grids[(step + 1) % 2], count, count, count);
    myr::for_each(myr::tiles(1, 1), myr::range(count), myr::range(count),
                  myr::in(from, parts(part.grow(1), part)),
                  myr::in(from, parts(part, part.grow(1))), myr::out(each(to), part),
                  [=](std::size_t i, std::size_t j) {
                    relax_tile(view_tile(grid, step, i, j), to(i, j), grid->side);
                  });
  }
  myr::wait_all();
}
