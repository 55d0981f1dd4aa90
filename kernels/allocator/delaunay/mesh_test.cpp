// SPDX-License-Identifier: Apache-2.0
//
// The serial triangulation against brute force, and the checker against wrong meshes.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "allocator/delaunay/check.hpp"
#include "allocator/delaunay/curve.hpp"
#include "allocator/delaunay/serial.hpp"
#include "allocator/delaunay/test_points.hpp"

namespace delaunay {
namespace {

// All triangles whose circle holds no other point: the definition.
std::vector<Corners> brute_force(const std::vector<Vertex>& vertices) {
  std::vector<Corners> list;
  const auto is_empty = [&](const Vertex& a, const Vertex& b, const Vertex& c) {
    return std::ranges::none_of(vertices, [&](const Vertex& d) {
      return d.index != a.index && d.index != b.index && d.index != c.index &&
             in_circle(a.point, b.point, c.point, d.point);
    });
  };
  for (const Vertex& a : vertices) {
    for (const Vertex& b : vertices) {
      for (const Vertex& c : vertices) {
        if (a.index > b.index || a.index > c.index) continue;
        if (orientation(a.point, b.point, c.point) <= 0 || !is_empty(a, b, c)) continue;
        list.push_back({a.index, b.index, c.index});
      }
    }
  }
  std::ranges::sort(list);
  return list;
}

std::vector<Corners> triangulate_vertices(const std::vector<Vertex>& vertices) {
  const SerialMesh mesh = triangulate_serial(vertices);
  CHECK(find_fault(mesh.hull, vertices.size()) == "");
  return triangle_list(mesh.hull);
}

std::vector<Corners> triangulate(const std::vector<Point>& points) {
  return triangulate_vertices(distinct_vertices(points));
}

}  // namespace

TEST_CASE("too few points, or points on one line, have no triangles") {
  CHECK(triangulate(std::vector<Point>{}).empty());
  CHECK(triangulate(std::vector<Point>{{1, 2}}).empty());
  CHECK(triangulate(std::vector<Point>{{1, 2}, {3, 4}}).empty());
  CHECK(triangulate(std::vector<Point>(50, {7, 7})).empty());
  std::vector<Point> line;
  for (std::int32_t i = 0; i < 100; ++i) line.push_back({i * 37 % 100, 2 * (i * 37 % 100)});
  CHECK(triangulate(line).empty());
}

TEST_CASE("three points make one triangle, and a square two") {
  CHECK(triangulate({{0, 0}, {0, 5}, {5, 0}}) == std::vector<Corners>{{0, 2, 1}});
  CHECK(triangulate({{0, 0}, {5, 0}, {5, 5}, {0, 5}}).size() == 2);
}

TEST_CASE("equal points count once, as the first of them") {
  const auto vertices = distinct_vertices(std::vector<Point>{{5, 5}, {1, 1}, {5, 5}, {1, 1}});
  REQUIRE(vertices.size() == 2);
  CHECK(vertices[0].index == 0);
  CHECK(vertices[1].index == 1);
}

TEST_CASE("small clouds have the triangles of the definition, in whatever order they come") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    auto vertices = round % 10 == 0 ? corner_points(random) : grid_points(random, 20);
    const std::vector<Corners> expected = brute_force(vertices);
    CHECK(triangulate_vertices(vertices) == expected);
    std::shuffle(vertices.begin(), vertices.end(), random);
    CHECK(triangulate_vertices(vertices) == expected);
  }
}

TEST_CASE("large clouds and full grids pass every local check") {
  CHECK(triangulate(random_points(20000, 1)).size() > 39000);
  std::vector<Point> grid;
  for (std::int32_t x = 0; x < 100; ++x) {
    for (std::int32_t y = 0; y < 60; ++y) grid.push_back({x, y});
  }
  CHECK(triangulate(grid).size() == 2U * 99 * 59);
}

TEST_CASE("all points on one circle around their centre") {
  std::vector<Point> points{{0, 0}};
  for (std::int32_t x = -65; x <= 65; ++x) {
    for (std::int32_t y = -65; y <= 65; ++y) {
      if (x * x + y * y == 65 * 65) points.push_back({x * 1000000, y * 1000000});
    }
  }
  REQUIRE(points.size() == 37);
  CHECK(triangulate(points).size() == 36);
}

TEST_CASE("the checker finds a wrong diagonal, a wrong turn and a broken link") {
  const auto vertices = distinct_vertices(std::vector<Point>{{0, 0}, {9, 1}, {8, 8}, {1, 9}});
  const SerialMesh mesh = triangulate_serial(vertices);
  REQUIRE(find_fault(mesh.hull, 4) == "");
  CHECK(find_fault(mesh.hull, 5) != "");
  Triangle* real = mesh.hull->neighbour[mesh.hull->infinity()];
  const Triangle kept = *real;
  std::swap(real->vertex[0], real->vertex[1]);
  CHECK(find_fault(mesh.hull, 4) != "");
  *real = kept;
  std::swap(real->neighbour[0], real->neighbour[1]);
  CHECK(find_fault(mesh.hull, 4) != "");
  *real = kept;
  real->vertex[0].point = {-50, -50};  // makes its circle hold the fourth point
  CHECK(find_fault(mesh.hull, 4) != "");
}

TEST_CASE("the rounds of insertion visit each index once") {
  for (const std::size_t count : {0, 1, 2, 3, 4, 5, 64, 65, 1000}) {
    std::multiset<std::size_t> visited;
    visit_in_rounds(count, [&](std::size_t i) { visited.insert(i); });
    CHECK(visited.size() == (count == 0 ? 0 : count - 1));
    CHECK(std::set(visited.begin(), visited.end()).size() == visited.size());
    CHECK((visited.empty() || (*visited.begin() == 1 && *visited.rbegin() == count - 1)));
  }
}

}  // namespace delaunay
