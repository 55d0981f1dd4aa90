// SPDX-License-Identifier: Apache-2.0
//
// The matrix product as loops over the tiles of a part of C. An iteration adds up some products of
// two tiles, which it reads where they are: nothing is copied, and no part waits for another.
#include <myr/frontend.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "common/job_table.hpp"
#include "common/wait_for_region.hpp"
#include "myrmics/matrix_multiply/matrix_multiply.h"

namespace {

// Products of an iteration: longer tasks cost schedulers less, but leave workers idle at the
// end.
constexpr std::size_t kProductsMax = 4;

// The tiles of each matrix, part by part.
kernels::JobTable<float> a_tiles, b_tiles, c_tiles;

void set_tables(const matrix_multiply& m) {
  const auto set = [](kernels::JobTable<float>& table, const parts& all) {
    table.fill(all.tile_total,
               [&](std::size_t i) { return static_cast<float*>(parts_tile(&all, i)); });
  };
  set(a_tiles, m.a), set(b_tiles, m.b), set(c_tiles, m.c);
}

// For the tiles of a part of C: the products of `count` tiles in a row of a part of A, from `first`
// on, and as many in a column of a part of B.
struct Products {
  std::size_t a, b, c;  // where the parts begin
  myr_region a_region, b_region;
  std::size_t tile_side, side;
  std::size_t first, count;

  [[nodiscard]] float* a_tile(std::size_t i, std::size_t k) const {
    return a_tiles[a + i / tile_side * tile_side + first + k];
  }
  [[nodiscard]] float* b_tile(std::size_t i, std::size_t k) const {
    return b_tiles[b + (first + k) * tile_side + i % tile_side];
  }
  [[nodiscard]] float* c_tile(std::size_t i) const { return c_tiles[c + i]; }
};

int run(void* closure, std::size_t begin, std::size_t end) {
  const Products& products = *static_cast<Products*>(closure);
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t k = 0; k < products.count; ++k) {
      matrix_multiply_add(products.a_tile(i, k), products.b_tile(i, k), products.c_tile(i),
                          products.side);
    }
  }
  return 0;
}

// Nobody writes to A and B, so all of a part may be named at once.
std::size_t footprint(const void* closure, std::size_t begin, std::size_t end,
                      myr_access* accesses) {
  const Products& products = *static_cast<const Products*>(closure);
  if (accesses != nullptr) {
    *accesses++ = myr_in_region(products.a_region);
    *accesses++ = myr_in_region(products.b_region);
    for (std::size_t i = begin; i < end; ++i) *accesses++ = myr_inout(products.c_tile(i));
  }
  return end - begin + 2;
}

void destroy(void* closure) { delete static_cast<Products*>(closure); }

// What the iterations use, one object each.
struct Objects {
  std::array<std::vector<void*>, 2 * kProductsMax> lists;
  std::vector<myr_window> windows;

  void add(myr_region region, unsigned mode, void* const* objects, std::size_t count) {
    windows.push_back({.size = sizeof(myr_window),
                       .region = region,
                       .mode = mode,
                       .objects = objects,
                       .count = count,
                       .first = 0,
                       .before = 0,
                       .after = 0});
  }
};

void spawn_products(const Products& products, const part& in_a, const part& in_b,
                    const part& in_c) {
  const std::size_t tiles = in_c.tile_count;
  Objects objects;
  objects.add(in_c.region, MYR_INOUT, in_c.tiles, tiles);
  for (std::size_t k = 0; k < products.count; ++k) {
    std::vector<void*>& a = objects.lists[2 * k];
    std::vector<void*>& b = objects.lists[2 * k + 1];
    for (std::size_t i = 0; i < tiles; ++i) {
      a.push_back(products.a_tile(i, k));
      b.push_back(products.b_tile(i, k));
    }
    objects.add(in_a.region, MYR_IN, a.data(), tiles);
    objects.add(in_b.region, MYR_IN, b.data(), tiles);
  }
  const myr_loop loop = {.size = sizeof(myr_loop),
                         .begin = 0,
                         .end = tiles,
                         .grain = 1,
                         .run = run,
                         .footprint = footprint,
                         .destroy = destroy,
                         .data = std::make_unique<Products>(products).release(),
                         .windows = objects.windows.data(),
                         .window_count = objects.windows.size(),
                         .data_bytes = sizeof(Products)};
  myr_for(&loop);
}

}  // namespace

// Each part of C begins elsewhere, so that not all read the same parts at once.
void matrix_multiply_tasks(matrix_multiply* m) {
  set_tables(*m);
  const std::size_t n = m->part_side;
  for (std::size_t phase = 0; phase < n; ++phase) {
    for (std::size_t first = 0; first < m->tile_side; first += kProductsMax) {
      for (std::size_t p = 0; p < n * n; ++p) {
        const std::size_t i = p / n, j = p % n, k = (phase + i + j) % n;
        const part &a = m->a.part[i * n + k], &b = m->b.part[k * n + j], &c = m->c.part[p];
        spawn_products({.a = a.first,
                        .b = b.first,
                        .c = c.first,
                        .a_region = a.region,
                        .b_region = b.region,
                        .tile_side = m->tile_side,
                        .side = m->side,
                        .first = first,
                        .count = std::min(kProductsMax, m->tile_side - first)},
                       a, b, c);
      }
    }
  }
  kernels::wait_for_region(m->c.region, m->c.end);
}
