// SPDX-License-Identifier: Apache-2.0
//
// The Jacobi iteration as loops over the tiles, one an iteration. A tile's edges are what its
// neighbours read.
#include <cstddef>
#include <myr/myr.hpp>
#include <vector>

#include "myrmics/jacobi/grid.h"

namespace {

struct Tiles {
  std::vector<float*> rows;
  std::vector<float*> edges[2];
};

Tiles tiles_of(const jacobi& table) {
  Tiles tiles;
  for (int i = 0; i < table.tile_total; ++i) {
    const jacobi_tile tile = jacobi_tile_at(&table, i);
    tiles.rows.push_back(tile.rows);
    for (int side = 0; side < 2; ++side) tiles.edges[side].push_back(tile.edges[side]);
  }
  return tiles;
}

void spawn_iteration(const Tiles& tiles, int row_count, int columns, int now) {
  using myr::each;
  using myr::part;
  const std::size_t count = tiles.rows.size();
  float* const* rows = tiles.rows.data();
  float* const* edges = tiles.edges[now].data();
  float* const* new_edges = tiles.edges[1 - now].data();
  myr::for_each(myr::Range{0, count}, inout(each(rows, count), part),
                in(each(edges, count), part.grow(1)), out(each(new_edges, count), part),
                [=](std::size_t i) {
                  const float* north = i > 0 ? edges[i - 1] : nullptr;
                  const float* south = i + 1 < count ? edges[i + 1] : nullptr;
                  jacobi_step(north, rows[i], south, new_edges[i], row_count, columns);
                });
}

}  // namespace

void jacobi_tasks(jacobi* table) {
  const Tiles tiles = tiles_of(*table);
  for (int i = 0; i < table->iterations; ++i) {
    spawn_iteration(tiles, table->tile_rows, table->columns, i % 2);
  }
  myr::wait_all();
}
