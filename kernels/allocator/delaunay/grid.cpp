// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/grid.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <myr/myr.hpp>
#include <vector>

#include "allocator/delaunay/squares.hpp"

namespace delaunay {
namespace {

void refine_area_task(const myr_access* arguments) {
  auto& grid = *static_cast<Grid*>(const_cast<void*>(arguments[0].address));
  refine_area(grid, *static_cast<const Area*>(arguments[1].address));
}

void begin_task(const myr_access* arguments) {
  auto& grid = *static_cast<Grid*>(const_cast<void*>(arguments[0].address));
  refine_all(grid, static_cast<std::size_t>(arguments[1].integer));
}

// An area of level `depth`, of which there are 4^depth, has four squares of the level below.
struct Level {
  int depth;
  std::size_t points_max;  // of each square of the last level
};
using Areas = std::vector<std::unique_ptr<Area>>;  // they live until the tasks have ended

// A task on the squares of level `level` + 1 in columns and rows from `low` on, two of each as far
// as the grid goes. They are parts of the areas of `level`.
void spawn_area(Grid& grid, const Level& level, std::ptrdiff_t column, std::ptrdiff_t row,
                Areas& areas) {
  const auto side = std::ptrdiff_t{2} << level.depth;
  const std::size_t scale = grid.side >> (level.depth + 1);
  const auto first = [](std::ptrdiff_t place) { return std::max<std::ptrdiff_t>(place, 0); };
  const auto last = [&](std::ptrdiff_t place) { return std::min(place + 2, side); };
  const auto at = [&](std::ptrdiff_t place) { return static_cast<std::size_t>(place) * scale; };
  areas.push_back(std::make_unique<Area>(Area{
      {at(first(column)), at(first(row))}, {at(last(column)), at(last(row))}, level.points_max}));
  std::vector<myr_access> accesses{myr_pointer(&grid), myr_pointer(areas.back().get())};
  for (std::ptrdiff_t y = first(row); y < last(row); ++y) {
    for (std::ptrdiff_t x = first(column); x < last(column); ++x) {
      const auto index = static_cast<std::size_t>(y * side + x);
      const myr::Region region = grid.regions[static_cast<std::size_t>(level.depth) + 1][index];
      accesses.push_back(myr_inout_region(region.id()));
    }
  }
  myr_spawn_array(refine_area_task, accesses.data(), accesses.size());
}

// The triangulation of all areas of a level, and after each turn of the squares.
void spawn_level(Grid& grid, const Level& level, Areas& areas) {
  const auto side = std::ptrdiff_t{2} << level.depth;
  constexpr std::array<std::array<std::ptrdiff_t, 2>, 4> kTurns{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
  for (const auto& [right, down] : kTurns) {
    for (std::ptrdiff_t row = -down; row < side; row += 2) {
      for (std::ptrdiff_t column = -right; column < side; column += 2) {
        spawn_area(grid, level, column, row, areas);
      }
    }
  }
}

void spawn_on_all(Grid& grid, std::size_t points_max) {
  const std::array accesses{myr_pointer(&grid), myr_value(static_cast<std::int64_t>(points_max)),
                            myr_inout_region(grid.regions[0][0].id())};
  myr_spawn_array(begin_task, accesses.data(), accesses.size());
}

}  // namespace

GridMesh triangulate_grid(std::span<const Vertex> input, std::size_t area_points, int levels) {
  const std::unique_ptr<Grid> grid = make_grid(input, levels);
  Areas areas;
  spawn_on_all(*grid, 1 + area_points / grid->squares.size());
  for (int depth = 1; depth < levels; ++depth) {
    const std::size_t squares_of_area = grid->squares.size() >> (2 * depth);
    const bool is_last = depth + 1 == levels;
    spawn_level(*grid, {depth, is_last ? input.size() : 1 + area_points / squares_of_area}, areas);
  }
  spawn_on_all(*grid, input.size());
  myr::wait(myr::inout(grid->regions[0][0]));
  std::size_t put_off = 0;
  for (const Square* square : grid->squares) put_off += square->put_off;
  const myr::Region whole = grid->regions[0][0];
  return {
      {grid->hull, std::shared_ptr<void>(grid->squares.front(), [whole](void*) { whole.free(); })},
      put_off};
}

}  // namespace delaunay
