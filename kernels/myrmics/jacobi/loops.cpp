// SPDX-License-Identifier: Apache-2.0
//
// The Jacobi iteration as loops over the tiles, one for each iteration and part. A tile's edges are
// what its neighbours read; those of another part are read where they are. An iteration does not
// write the regions of a part that its neighbours read, so all parts are at work from the start.
#include <algorithm>
#include <cstddef>
#include <myr/myr.hpp>

#include "common/job_table.hpp"
#include "common/wait_for_region.hpp"
#include "myrmics/jacobi/grid.h"

namespace {

// In the order of the tiles, all parts one after the other.
using Table = kernels::JobTable<float>;
Table rows, edges[2];

void set_tables(const jacobi& all) {
  const auto count = static_cast<std::size_t>(all.tile_total);
  const auto tile = [&](std::size_t i) { return jacobi_tile_at(&all, static_cast<int>(i)); };
  rows.fill(count, [&](std::size_t i) { return tile(i).rows; });
  for (const int side : {0, 1}) {
    edges[side].fill(count, [&](std::size_t i) { return tile(i).edges[side]; });
  }
}

// Tiles `range`, which are those of one part.
void spawn_part(const jacobi& table, int part, myr::Range range, int now) {
  const auto count = static_cast<std::size_t>(table.tile_total);
  // Objects of tiles from..to-1, the first of which iteration `first` uses.
  const auto some = [](const Table& objects, std::size_t from, std::size_t to, myr_region region,
                       std::size_t first) {
    return myr::each(objects.data() + from, to - from)
        .inside(myr::Region(region))
        .at(static_cast<std::ptrdiff_t>(first));
  };
  // The edges of the tile above, and of the tile below, where there is one; those of the first and
  // of the last tile's are in other parts.
  const auto [from, to] = range;
  const int above = std::max(part - 1, 0), below = std::min(part + 1, table.part_count - 1);
  const std::size_t first = above == part ? from : from - 1, end = below == part ? to : to + 1;
  const jacobi_part* parts = table.parts;
  const myr_region own_edges = parts[part].edge_regions[now];
  myr::for_each(
      myr::grain(1), range,
      myr::inout(some(rows, from, to, parts[part].rows_region, from), myr::part),
      myr::in(some(edges[now], from, to - 1, own_edges, from + 1), myr::part),
      myr::in(some(edges[now], from + 1, to, own_edges, from), myr::part),
      myr::in(some(edges[now], first, from, parts[above].edge_regions[now], from), myr::part),
      myr::in(some(edges[now], to, end, parts[below].edge_regions[now], to - 1), myr::part),
      myr::out(some(edges[1 - now], from, to, parts[part].edge_regions[1 - now], from), myr::part),
      [=, row_count = table.tile_rows, columns = table.columns](std::size_t i) {
        const float* north = i > 0 ? edges[now][i - 1] : nullptr;
        const float* south = i + 1 < count ? edges[now][i + 1] : nullptr;
        jacobi_step(north, rows[i], south, edges[1 - now][i], row_count, columns);
      });
}

void spawn_iteration(const jacobi& table, int now) {
  std::size_t first = 0;
  for (int p = 0; p < table.part_count; ++p) {
    const std::size_t end = first + static_cast<std::size_t>(table.parts[p].tile_count);
    spawn_part(table, p, {first, end}, now);
    first = end;
  }
}

// Two iterations, from one half of the edges to the other and back, are a step that repeats.
void spawn_recorded(const jacobi& table) {
  myr::Recording both;
  for (int i = 0; i < table.iterations / 2; ++i) {
    both.step([&] {
      spawn_iteration(table, 0);
      spawn_iteration(table, 1);
    });
  }
  if (table.iterations % 2 != 0) spawn_iteration(table, 0);
}

}  // namespace

void jacobi_tasks(jacobi* table) {
  set_tables(*table);
  if (table->is_recorded != 0) {
    spawn_recorded(*table);
  } else {
    for (int i = 0; i < table->iterations; ++i) spawn_iteration(*table, i % 2);
  }
  kernels::wait_for_region(table->region, table->end);
}
