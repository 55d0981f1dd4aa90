// SPDX-License-Identifier: Apache-2.0
//
// The grid of the Myrmics allocator paper (section 6.4): a plane of squares with a region each, and
// what a task, or an SPMD worker, does with the squares that it has. Programs: grid.cpp, spmd.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <myr/myr.hpp>
#include <span>
#include <vector>

#include "allocator/delaunay/bowyer_watson.hpp"

namespace delaunay {

// A square of the last level. Lies in its region, as do its points; so a task that has the region
// may use all of it.
struct Square {
  myr::Region region;
  Vertex* points;     // that are to be inserted; the first ones are tried first
  std::size_t count;  // of points
  Triangle* entry;    // one of the square's real triangles; nullptr: none is known
  Triangle* unused;   // of the square, linked by neighbour[0]
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
//
// The memory of a triangle belongs to one square for ever. So even a process that has an old copy
// of it, or none, which is 0, can tell from Triangle::square whether it is one of the rectangle's.
class Squares {
 public:
  Squares(Grid& grid, Place low, Place high) : grid_(grid), low_(low), high_(high) {}

  [[nodiscard]] bool holds(const Triangle& t) const noexcept {
    if (t.square == 0) return false;
    return contains({(t.square - 1) % grid_.side, (t.square - 1) / grid_.side});
  }
  [[nodiscard]] Triangle* take(Vertex a, Vertex b, Vertex c) {
    Place place = centre_of(a, b, c);
    if (!contains(place)) place = grid_.place_of(c.point.x, c.point.y);
    const std::size_t index = place.row * grid_.side + place.column;
    Square& square = *grid_.squares[index];
    if (square.unused == nullptr) add_unused(square, static_cast<std::uint32_t>(index + 1));
    Triangle* const triangle = square.unused;
    square.unused = triangle->neighbour[0];
    if (a.index != kInfinity && b.index != kInfinity) square.entry = triangle;
    return triangle;
  }
  void give(Triangle* old) noexcept {
    Square& square = *grid_.squares[old->square - 1];
    if (square.entry == old) square.entry = nullptr;
    old->neighbour[0] = square.unused;
    square.unused = old;
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
  // Many at once, as asking for memory takes long on some machines.
  static void add_unused(Square& square, std::uint32_t number) {
    constexpr std::size_t kCount = 64;
    void* more[kCount];
    myr_alloc_many(sizeof(Triangle), square.region.id(), kCount, more);
    for (void* one : more) {
      auto* const triangle = static_cast<Triangle*>(one);
      triangle->square = number;
      triangle->neighbour[0] = square.unused;
      square.unused = triangle;
    }
  }
  [[nodiscard]] bool contains(Place place) const noexcept {
    return place.column >= low_.column && place.column < high_.column && place.row >= low_.row &&
           place.row < high_.row;
  }
  // The centre of a ghost is the middle of its edge.
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

// Some squares, and what is to be done in them; `low` and `high` are squares of the last level.
struct Area {
  Place low, high;
  std::size_t points_max;  // of each square
};

// The grid of 4^levels squares, with all points dealt out to them.
[[nodiscard]] std::unique_ptr<Grid> make_grid(std::span<const Vertex> input, int levels);
// Begins the mesh with three points, if it has not begun, and inserts what it can of the first
// `points_max` points of each square. With all squares.
void refine_all(Grid& grid, std::size_t points_max);
// The same with those of an area, in a mesh that has begun.
void refine_area(Grid& grid, const Area& area);

}  // namespace delaunay
