// SPDX-License-Identifier: Apache-2.0
//
// The Jacobi iteration as loops over the tiles, one for each iteration and part. A tile's edges are
// what its neighbours read; those of another part are read where they are. An iteration does not
// write the regions of a part that its neighbours read, so all parts are at work from the start.
#include <algorithm>
#include <cstddef>
#include <myr/myr.hpp>
#include <vector>

#include "common/wait_for_region.hpp"
#include "myrmics/jacobi/grid.h"

namespace {

// In the order of the tiles, all parts one after the other.
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

// Tiles `range`, which are those of one part.
void spawn_part(const jacobi& table, const Tiles& tiles, int part, myr::Range range, int now) {
  const std::size_t count = tiles.rows.size();
  float* const* rows = tiles.rows.data();
  float* const* edges = tiles.edges[now].data();
  float* const* new_edges = tiles.edges[1 - now].data();
  // Objects of tiles from..to-1, the first of which iteration `first` uses.
  const auto some = [](float* const* objects, std::size_t from, std::size_t to, myr_region region,
                       std::size_t first) {
    return myr::each(objects + from, to - from)
        .in(myr::Region(region))
        .at(static_cast<std::ptrdiff_t>(first));
  };
  // The edges of the tile above, and of the tile below, where there is one; those of the first and
  // of the last tile's are in other parts.
  const auto [from, to] = range;
  const int above = std::max(part - 1, 0), below = std::min(part + 1, table.part_count - 1);
  const std::size_t first = above == part ? from : from - 1, end = below == part ? to : to + 1;
  const jacobi_part* parts = table.parts;
  const myr_region own_edges = parts[part].edge_regions[now];
  myr::for_each(range, myr::grain(1),
                inout(some(rows, from, to, parts[part].rows_region, from), myr::part),
                in(some(edges, from, to - 1, own_edges, from + 1), myr::part),
                in(some(edges, from + 1, to, own_edges, from), myr::part),
                in(some(edges, first, from, parts[above].edge_regions[now], from), myr::part),
                in(some(edges, to, end, parts[below].edge_regions[now], to - 1), myr::part),
                out(some(new_edges, from, to, parts[part].edge_regions[1 - now], from), myr::part),
                [=, row_count = table.tile_rows, columns = table.columns](std::size_t i) {
                  const float* north = i > 0 ? edges[i - 1] : nullptr;
                  const float* south = i + 1 < count ? edges[i + 1] : nullptr;
                  jacobi_step(north, rows[i], south, new_edges[i], row_count, columns);
                });
}

}  // namespace

void jacobi_tasks(jacobi* table) {
  const Tiles tiles = tiles_of(*table);
  for (int i = 0; i < table->iterations; ++i) {
    std::size_t first = 0;
    for (int p = 0; p < table->part_count; ++p) {
      const std::size_t end = first + static_cast<std::size_t>(table->parts[p].tile_count);
      spawn_part(*table, tiles, p, {first, end}, i % 2);
      first = end;
    }
  }
  kernels::wait_for_region(table->region, table->end);
}
