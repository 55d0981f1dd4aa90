// SPDX-License-Identifier: Apache-2.0
//
// tiled_matmul.c as one loop over the tiles of C.
#include <myr/myr.hpp>

#include "bddt/tiled_matmul/tiled_matmul.h"

void tiled_matmul_tasks(tiled_matmul* m) {
  using myr::each;
  const tiled_matmul all = *m;
  const std::size_t n = all.tile_count;
  const auto c = each(all.c, n * n).inside(myr::Region(all.product));
  myr::for_each(myr::Range{0, n * n}, myr::in(myr::Region(all.factors[0])),
                myr::in(myr::Region(all.factors[1])), myr::inout(c, myr::part),
                [=](std::size_t tile) {
                  const std::size_t row = tile / n * n;
                  for (std::size_t k = 0; k < n; ++k) {
                    multiply_tiles(all.a[row + k], all.b[k * n + tile % n], all.c[tile], all.side);
                  }
                });
  myr::wait_all();
}
