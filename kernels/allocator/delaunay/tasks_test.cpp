// SPDX-License-Identifier: Apache-2.0
//
// The task program against the serial twin, with parts down to single points, so that every kind of
// seam occurs.
#include "allocator/delaunay/tasks.hpp"

#include <doctest/doctest.h>

#include "allocator/delaunay/check.hpp"
#include "allocator/delaunay/grid.hpp"
#include "allocator/delaunay/serial.hpp"
#include "allocator/delaunay/test_points.hpp"

namespace delaunay {
namespace {

void check_same(const std::vector<Vertex>& vertices, std::size_t leaf_points) {
  CAPTURE(leaf_points);
  const SerialMesh serial = triangulate_serial(vertices);
  const TaskMesh tasks = triangulate_tasks(vertices, leaf_points);
  CHECK(find_fault(tasks.hull, vertices.size()) == "");
  CHECK(triangle_list(tasks.hull) == triangle_list(serial.hull));
  for (const int levels : {1, 2, 4}) {
    CAPTURE(levels);
    const TaskMesh grid = triangulate_grid(vertices, leaf_points, levels).mesh;
    CHECK(triangle_list(grid.hull) == triangle_list(serial.hull));
  }
}

}  // namespace

TEST_CASE("small clouds give the serial triangles, whatever the parts") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto vertices = round % 10 == 0 ? corner_points(random) : grid_points(random, 60);
    for (const std::size_t leaf_points : {1, 2, 3, 5, 9}) check_same(vertices, leaf_points);
  }
}

TEST_CASE("large clouds give the serial triangles") {
  check_same(distinct_vertices(random_points(20000, test_seed())), 200);
  std::vector<Point> grid;
  for (std::int32_t i = 0; i < 5000; ++i) grid.push_back({i % 50, i / 50});
  check_same(distinct_vertices(grid), 64);
}

TEST_CASE("points on few lines: parts without triangles are sewn in") {
  std::vector<Point> lines;
  for (std::int32_t i = 0; i < 300; ++i) {
    lines.push_back({i * i, 0});
    if (i % 100 == 0) lines.push_back({i, 1000000});
  }
  check_same(distinct_vertices(lines), 8);
  for (Point& p : lines) std::swap(p.x, p.y);
  check_same(distinct_vertices(lines), 8);
}

TEST_CASE("no points, equal points and points on one line have no mesh") {
  check_same({}, 4);
  check_same(distinct_vertices(std::vector<Point>(9, {3, 3})), 4);
  std::vector<Point> line;
  for (std::int32_t i = 0; i < 40; ++i) line.push_back({-i, 3 * i});
  check_same(distinct_vertices(line), 4);
}

}  // namespace delaunay
