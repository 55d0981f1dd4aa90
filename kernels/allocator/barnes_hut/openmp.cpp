// SPDX-License-Identifier: Apache-2.0
//
// The simulation as an OpenMP program: parallel loops over the bodies, and tasks for the octree.
// The points are sorted in place, and each thread takes cells from a std::deque of its own.
#include <omp.h>

#include <deque>

#include "methods/bodies/motion.hpp"

namespace barnes_hut {
namespace {

// Cells of one tree, by the thread that made them.
class Cells {
 public:
  Cells() : of_thread_(static_cast<std::size_t>(omp_get_max_threads())) {}
  Cell* make() {
    return &of_thread_[static_cast<std::size_t>(omp_get_thread_num())].emplace_back();
  }
  void clear() {
    for (std::deque<Cell>& cells : of_thread_) cells.clear();
  }

 private:
  std::vector<std::deque<Cell>> of_thread_;
};

void grow(Cell& cell, Cluster cluster, std::size_t task_points, Cells& cells) {
  std::vector<Point> scratch;
  if (cluster.points.size() <= task_points || cluster.is_small()) {
    build(cell, cluster, scratch, [&cells] { return cells.make(); });
    return;
  }
  cell.width = cluster.cube.width;
  cell.depth = cluster.depth;
  const std::array<Cluster, 8> parts = split(cluster, scratch);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].points.empty()) continue;
    Cell* const child = cell.children[i] = cells.make();
    const Cluster part = parts[i];
#pragma omp task firstprivate(child, part, task_points) shared(cells)
    grow(*child, part, task_points, cells);
  }
#pragma omp taskwait
  summarise(cell);
}

}  // namespace

void run_tasks(std::vector<Body>& bodies, const Settings& settings, std::size_t chunk_size) {
  const std::size_t count = bodies.size();
  std::vector<Point> points(count);
  Cells cells;
  Cell* root = nullptr;
#pragma omp parallel
  for (std::int64_t step = 0; step < settings.steps; ++step) {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < count; ++i) {
      drift({&bodies[i], 1}, settings.time_step);
      points[i] = {bodies[i].position, bodies[i].mass};
    }
#pragma omp single
    {
      cells.clear();
      root = cells.make();
      grow(*root, surround(points), chunk_size, cells);
    }
#pragma omp for schedule(dynamic)
    for (std::size_t i = 0; i < count; i += chunk_size) {
      kick_and_drift({&bodies[i], std::min(chunk_size, count - i)}, *root, settings);
    }
  }
}

}  // namespace barnes_hut
