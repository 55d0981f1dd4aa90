// SPDX-License-Identifier: Apache-2.0
//
// The Delaunay kernel: options, both versions, the checks, and the triangles for the map. See
// README.md.
#include <cstdint>
#include <string>
#include <vector>

#include "allocator/delaunay/check.hpp"
#include "allocator/delaunay/grid.hpp"
#include "allocator/delaunay/input.hpp"
#include "allocator/delaunay/serial.hpp"
#include "allocator/delaunay/tasks.hpp"
#include "common/files.hpp"
#include "common/program.hpp"

namespace {

using delaunay::Corners;
using delaunay::Vertex;

// Both versions with their last results. Meshes are compared, written and counted by their lists of
// triangles.
class Meshes {
 public:
  Meshes(const std::vector<Vertex>& vertices, std::size_t leaf_points, int grid_levels)
      : vertices_(vertices), leaf_points_(leaf_points), grid_levels_(grid_levels) {}

  void clear() {
    serial_ = {};
    parallel_ = {};
  }
  void run_serial() { serial_ = delaunay::triangulate_serial(vertices_); }
  void run_tasks() {
    if (grid_levels_ == 0) {
      parallel_ = delaunay::triangulate_tasks(vertices_, leaf_points_);
      return;
    }
    auto [mesh, put_off] = delaunay::triangulate_grid(vertices_, leaf_points_, grid_levels_);
    parallel_ = std::move(mesh);
    put_off_ = put_off;
  }
  [[nodiscard]] std::size_t put_off() const noexcept { return put_off_; }
  bool same() {
    triangles_ = delaunay::triangle_list(parallel_.hull);
    return triangles_ == delaunay::triangle_list(serial_.hull);
  }
  [[nodiscard]] std::string find_fault() const {
    return delaunay::find_fault(parallel_.hull, vertices_.size());
  }
  [[nodiscard]] const std::vector<Corners>& triangles() const noexcept { return triangles_; }

 private:
  const std::vector<Vertex>& vertices_;
  std::size_t leaf_points_;
  int grid_levels_;  // 0: no grid, but halves that are sewn
  std::size_t put_off_ = 0;
  delaunay::SerialMesh serial_{};
  delaunay::TaskMesh parallel_{};
  std::vector<Corners> triangles_;  // of the task version
};

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("delaunay", "Delaunay triangulation of points in the plane");
  std::size_t size = 200'000, seed = 1, leaf_points = 2048, points = 0, triangles = 0;
  std::size_t grid = 0, put_off = 0;
  std::string input, output;
  program.option("size", size, {0, 1'000'000'000}, "random points, if there is no file");
  program.option("seed", seed, {0, 1'000'000'000}, "of the random points");
  program.option("task", leaf_points, {1, 1'000'000'000}, "most points in a task of Bowyer-Watson");
  program.option("grid", grid, {0, delaunay::kGridLevelsMax},
                 "levels of a grid of squares, as in the paper; 0: halves that are sewn");
  program.option("points", input, "file of points: x and y as 4-byte integers");
  program.option("out", output, "write the triangles here: three 4-byte indices of points each");
  program.report("points", points);
  program.report("triangles", triangles);
  program.report("put off", put_off);
  program.named("5M", "--size 5000000");
  program.parse(argc, argv);

  const std::vector<delaunay::Point> all =
      input.empty() ? delaunay::random_points(size, seed) : delaunay::read_points(input);
  const std::vector<Vertex> vertices = delaunay::distinct_vertices(all);
  size = all.size();
  points = vertices.size();
  Meshes meshes(vertices, leaf_points, static_cast<int>(grid));
  const int status = program.run({
      .prepare = [&] { meshes.clear(); },
      .serial = [&] { meshes.run_serial(); },
      .parallel = [&] { meshes.run_tasks(); },
      .same =
          [&] {
            const bool same = meshes.same();
            triangles = meshes.triangles().size();
            put_off = meshes.put_off();
            return same;
          },
      .verify = [&] { return meshes.find_fault(); },
  });
  if (!output.empty()) {
    kernels::write_file(output, [&](std::ostream& file) {
      kernels::put(file, meshes.triangles().data(), meshes.triangles().size());
    });
  }
  return status;
}
