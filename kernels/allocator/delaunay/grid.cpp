// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <myr/myr.hpp>
#include <vector>

#include "allocator/delaunay/bowyer_watson.hpp"
#include "allocator/delaunay/curve.hpp"

namespace delaunay {
namespace {

// A square of the last level. Lies in its region, as do its points; so whoever has the region may
// use all of it.
struct Square {
  myr::Region region;
  Vertex* points;     // that are to be inserted; the first ones are tried first
  std::size_t count;  // of points
  Triangle* entry;    // one of the square's real triangles; nullptr: none is known
  std::size_t put_off;
};

struct Place {
  std::size_t column, row;
};

// The squares of the last level, row by row. In plain memory, which is not changed any more once
// the tasks run; the squares themselves change.
struct Grid {
  std::size_t side = 1;  // squares in a row
  Point low{};           // the corner
  double width = 1;      // of a square
  std::vector<Square*> squares;
  std::vector<std::vector<myr::Region>> regions;  // by level, row by row: 4^level
  // A ghost, as the last task that had the whole plane left it; others may have replaced it since.
  Triangle* hull = nullptr;

  [[nodiscard]] std::size_t along(double offset) const {
    const double place = std::floor(offset / width);
    return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(side - 1)));
  }
  [[nodiscard]] Place place_of(double x, double y) const {
    return {along(x - low.x), along(y - low.y)};
  }
};

// Some of the squares, a rectangle, as the space of an Inserter. A triangle whose circumcentre lies
// elsewhere belongs to the square of its last corner, which is the point that is being inserted.
class Squares {
 public:
  Squares(Grid& grid, Place low, Place high) : grid_(grid), low_(low), high_(high) {}

  [[nodiscard]] bool holds(const Triangle& t) const noexcept {
    return contains({t.square % grid_.side, t.square / grid_.side});
  }
  [[nodiscard]] Triangle* take(Vertex a, Vertex b, Vertex c) {
    Place place = centre_of(a, b, c);
    if (!contains(place)) place = grid_.place_of(c.point.x, c.point.y);
    const std::size_t index = place.row * grid_.side + place.column;
    Square& square = *grid_.squares[index];
    auto* triangle = static_cast<Triangle*>(myr_alloc(sizeof(Triangle), square.region.id()));
    triangle->square = static_cast<std::uint32_t>(index);
    if (a.index != kInfinity && b.index != kInfinity) square.entry = triangle;
    return triangle;
  }
  void give(Triangle* old) noexcept {
    Square& square = *grid_.squares[old->square];
    if (square.entry == old) square.entry = nullptr;
    myr_free(old);
  }
  // Where a walk may begin; nullptr: no triangle is known here.
  [[nodiscard]] Triangle* entry() const {
    Triangle* found = nullptr;
    for_each([&](Square& square) { found = found == nullptr ? square.entry : found; });
    return found;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t row = low_.row; row < high_.row; ++row) {
      for (std::size_t column = low_.column; column < high_.column; ++column) {
        visit(*grid_.squares[row * grid_.side + column]);
      }
    }
  }

 private:
  [[nodiscard]] bool contains(Place place) const noexcept {
    return place.column >= low_.column && place.column < high_.column && place.row >= low_.row &&
           place.row < high_.row;
  }
  // Of a ghost: the middle of its edge.
  [[nodiscard]] Place centre_of(Vertex a, Vertex b, Vertex c) const {
    if (a.index == kInfinity) return middle_of(b.point, c.point);
    if (b.index == kInfinity) return middle_of(a.point, c.point);
    const double bx = b.point.x - static_cast<double>(a.point.x);
    const double by = b.point.y - static_cast<double>(a.point.y);
    const double cx = c.point.x - static_cast<double>(a.point.x);
    const double cy = c.point.y - static_cast<double>(a.point.y);
    const double twice = 2 * (bx * cy - by * cx);
    if (twice == 0) return grid_.place_of(c.point.x, c.point.y);
    const double b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
    return grid_.place_of(a.point.x + (cy * b2 - by * c2) / twice,
                          a.point.y + (bx * c2 - cx * b2) / twice);
  }
  [[nodiscard]] Place middle_of(Point a, Point b) const {
    return grid_.place_of((a.x + static_cast<double>(b.x)) / 2,
                          (a.y + static_cast<double>(b.y)) / 2);
  }

  Grid& grid_;
  Place low_, high_;
};

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

// What a task of one level does; `low` and `high` are squares of the last level.
struct Area {
  Place low, high;
  std::size_t points_max;  // of each square
};

void refine_area(Grid& grid, const Area& area) {
  Squares squares(grid, area.low, area.high);
  Triangle* const start = squares.entry();
  if (start == nullptr) return;
  Inserter<Squares> mesh(squares, start, nullptr);
  insert_points(squares, mesh, area.points_max);
}

void refine_area_task(const myr_access* arguments) {
  auto& grid = *static_cast<Grid*>(const_cast<void*>(arguments[0].address));
  refine_area(grid, *static_cast<const Area*>(arguments[1].address));
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
void refine_all(Grid& grid, std::size_t points_max) {
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

void begin_task(const myr_access* arguments) {
  auto& grid = *static_cast<Grid*>(const_cast<void*>(arguments[0].address));
  if (grid.hull == nullptr && !begin_mesh(grid)) return;
  refine_all(grid, static_cast<std::size_t>(arguments[1].integer));
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
    *grid.squares.back() = {region, nullptr, 0, nullptr, 0};
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
  std::vector<myr_access> accesses{myr_safe(&grid), myr_safe(areas.back().get())};
  for (std::ptrdiff_t y = first(row); y < last(row); ++y) {
    for (std::ptrdiff_t x = first(column); x < last(column); ++x) {
      const auto index = static_cast<std::size_t>(y * side + x);
      const myr::Region region = grid.regions[static_cast<std::size_t>(level.depth) + 1][index];
      accesses.push_back(myr_inout_region(region.id()));
    }
  }
  myr_spawn(refine_area_task, accesses.data(), accesses.size());
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
  const std::array accesses{myr_safe(&grid), myr_value(static_cast<std::int64_t>(points_max)),
                            myr_inout_region(grid.regions[0][0].id())};
  myr_spawn(begin_task, accesses.data(), accesses.size());
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
