// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/squares.hpp"

#include <array>

#include "allocator/delaunay/curve.hpp"

namespace delaunay {
namespace {

// Inserts what it can of the first `points_max` points of each square; the others of them stay
// first.
void insert_points(const Squares& squares, Inserter<Squares>& mesh, std::size_t points_max) {
  squares.for_each([&](Square& square) {
    const std::size_t tried = std::min(points_max, square.count);
    std::size_t left = 0;
    for (std::size_t i = 0; i < tried; ++i) {
      const Vertex vertex = square.points[i];
      if (!mesh.insert(vertex)) square.points[left++] = vertex;
    }
    std::copy(square.points + tried, square.points + square.count, square.points + left);
    square.count -= tried - left;
    square.put_off += left;
  });
}

// A ghost beside the plane, walking there from a triangle inside.
Triangle* find_hull(const Grid& grid, Triangle* at) {
  const Point outside{grid.low.x - 1, grid.low.y - 1};
  Triangle* from = nullptr;
  while (!at->is_ghost()) {
    Triangle* const next = at->neighbour[edge_towards(*at, from, outside)];
    from = at;
    at = next;
  }
  return at;
}

// Goes on with the mesh of the whole plane.
void refine_mesh(Grid& grid, std::size_t points_max) {
  Squares squares(grid, {0, 0}, {grid.side, grid.side});
  Triangle* const start = squares.entry();
  Inserter<Squares> mesh(squares, start, find_hull(grid, start));
  insert_points(squares, mesh, points_max);
  grid.hull = mesh.hull();
}

// The first three points that are not on one line, taken out of the squares.
bool begin_mesh(Grid& grid) {
  std::array<Vertex, 3> corner{};
  std::size_t found = 0;
  for (Square* square : grid.squares) {
    for (std::size_t i = 0; i < square->count && found < 3; ++i) {
      const Vertex vertex = square->points[i];
      if (found == 2 && orientation(corner[0].point, corner[1].point, vertex.point) == 0) continue;
      corner[found++] = vertex;
      std::copy(square->points + i + 1, square->points + square->count, square->points + i);
      square->count -= 1;
      i -= 1;
    }
  }
  if (found < 3) return false;
  if (orientation(corner[0].point, corner[1].point, corner[2].point) < 0) {
    std::swap(corner[1], corner[2]);
  }
  Squares squares(grid, {0, 0}, {grid.side, grid.side});
  grid.hull = Inserter<Squares>(squares, corner[0], corner[1], corner[2]).hull();
  return true;
}

// The regions of all levels, and a square in each of the last.
void make_squares(Grid& grid, int levels) {
  grid.regions.assign(1, {myr::Region::create()});
  for (int level = 1; level <= levels; ++level) {
    const std::size_t side = std::size_t{1} << level;
    const std::vector<myr::Region>& above = grid.regions.back();
    std::vector<myr::Region> regions;
    for (std::size_t i = 0; i < side * side; ++i) {
      regions.push_back(myr::Region::create(above[i / side / 2 * (side / 2) + i % side / 2]));
    }
    grid.regions.push_back(std::move(regions));
  }
  for (const myr::Region region : grid.regions.back()) {
    grid.squares.push_back(region.make<Square>());
    *grid.squares.back() = {region, nullptr, 0, nullptr, nullptr, 0};
  }
}

// Deals the points out to the squares, each in an order in which neighbours come soon after
// another.
void deal_out(Grid& grid, std::span<const Vertex> input) {
  std::vector<std::vector<Vertex>> points(grid.squares.size());
  for (const Vertex& vertex : input) {
    const Place place = grid.place_of(vertex.point.x, vertex.point.y);
    points[place.row * grid.side + place.column].push_back(vertex);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    Square& square = *grid.squares[i];
    if (points[i].size() > 1) sort_along_curve(points[i]);
    square.count = points[i].size();
    square.points = square.region.make_array<Vertex>(square.count + 1);
    Vertex* next = square.points;
    if (!points[i].empty()) *next++ = points[i].front();
    visit_in_rounds(points[i].size(), [&](std::size_t at) { *next++ = points[i][at]; });
  }
}

}  // namespace

void refine_area(Grid& grid, const Area& area) {
  Squares squares(grid, area.low, area.high);
  Triangle* const start = squares.entry();
  if (start == nullptr) return;
  Inserter<Squares> mesh(squares, start, nullptr);
  insert_points(squares, mesh, area.points_max);
}

void refine_all(Grid& grid, std::size_t points_max) {
  if (grid.hull == nullptr && !begin_mesh(grid)) return;
  refine_mesh(grid, points_max);
}

std::unique_ptr<Grid> make_grid(std::span<const Vertex> input, int levels) {
  auto grid = std::make_unique<Grid>();
  grid->side = std::size_t{1} << levels;
  if (!input.empty()) {
    const auto [left, right] = std::ranges::minmax(input, {}, [](auto& v) { return v.point.x; });
    const auto [bottom, top] = std::ranges::minmax(input, {}, [](auto& v) { return v.point.y; });
    grid->low = {left.point.x, bottom.point.y};
    const double extent = std::max(right.point.x - static_cast<double>(left.point.x),
                                   top.point.y - static_cast<double>(bottom.point.y));
    grid->width = (extent + 1) / static_cast<double>(grid->side);
  }
  make_squares(*grid, levels);
  deal_out(*grid, input);
  return grid;
}

}  // namespace delaunay
