// SPDX-License-Identifier: Apache-2.0
//
// tiled_jacobi.c as loops over the rows and columns of tiles, one a step.
#include <myr/myr.hpp>

#include "bddt/tiled_jacobi/tiled_jacobi.h"

void tiled_jacobi_tasks(tiled_jacobi* grid) {
  using myr::part2;
  const std::size_t count = grid->tile_count;
  for (std::size_t step = 0; step < grid->steps; ++step) {
    const auto from = each(myr::tile(grid->grids[step % 2], count, count, count));
    const auto to = myr::tile(grid->grids[(step + 1) % 2], count, count, count);
    myr::for_each(myr::tiles(1, 1), myr::Range2{{0, count}, {0, count}},
                  myr::in(from, part2.grow(1, 0)), myr::in(from, part2.grow(0, 1)),
                  myr::out(each(to), part2), [=](std::size_t i, std::size_t j) {
                    relax_tile(view_tile(grid, step, i, j), to(i, j), grid->side);
                  });
  }
  myr::wait_all();
}
