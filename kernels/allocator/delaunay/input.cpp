// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "common/files.hpp"
#include "common/random.hpp"

namespace delaunay {

static_assert(std::endian::native == std::endian::little, "point files are little-endian");

std::vector<Point> read_points(const std::string& path) {
  std::vector<Point> points = kernels::read_file<Point>(path);
  if (points.size() >= kInfinity) {
    throw std::runtime_error(fmt::format("{} has {} points; at most {} are possible", path,
                                         points.size(), kInfinity - 1));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [x, y] = points[i];
    if (std::max(x, y) <= kCoordinateMax && std::min(x, y) >= -kCoordinateMax) continue;
    throw std::runtime_error(fmt::format("{}: point {} is ({}, {}); coordinates go from -{} to {}.",
                                         path, i, x, y, kCoordinateMax, kCoordinateMax));
  }
  return points;
}

std::vector<Point> random_points(std::size_t count, std::uint64_t seed) {
  kernels::Random random(seed);
  const auto coordinate = [&] {
    return static_cast<std::int32_t>((2 * random.uniform() - 1) * kCoordinateMax);
  };
  std::vector<Point> points(count);
  for (Point& p : points) {
    p.x = coordinate();
    p.y = coordinate();
  }
  return points;
}

std::vector<Vertex> distinct_vertices(std::span<const Point> points) {
  std::vector<Vertex> vertices;
  vertices.reserve(points.size());
  for (const Point p : points) vertices.push_back({p, static_cast<PointIndex>(vertices.size())});
  const auto by_place = [](const Vertex& a, const Vertex& b) {
    if (a.point.x != b.point.x) return a.point.x < b.point.x;
    return a.point.y != b.point.y ? a.point.y < b.point.y : a.index < b.index;
  };
  std::ranges::sort(vertices, by_place);
  const auto repeated = std::ranges::unique(vertices, {}, &Vertex::point);
  vertices.erase(repeated.begin(), repeated.end());
  std::ranges::sort(vertices, {}, &Vertex::index);
  return vertices;
}

}  // namespace delaunay
