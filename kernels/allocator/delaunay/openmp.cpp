// SPDX-License-Identifier: Apache-2.0
//
// The triangulation as an OpenMP program: the points are halved in place, a task for each lower
// half, and sewn after a taskwait. A part of n points has 2 n triangles of one array, of which its
// mesh leaves two over.
#include <algorithm>
#include <memory>
#include <vector>

#include "allocator/delaunay/bowyer_watson.hpp"
#include "allocator/delaunay/division.hpp"
#include "allocator/delaunay/tasks.hpp"

namespace delaunay {
namespace {

struct Part {
  std::span<Vertex> vertices;
  Triangle* room;
  Triangle* hull;   // nullptr: all points lie on one line, and no triangle is in use
  Triangle* spare;  // the two that are left over
};

void triangulate(Part& part) {
  const std::size_t count = mesh_triangles(part.vertices.size());
  TriangleList unused({part.room, count});
  part.hull = bowyer_watson(part.vertices, unused);
  part.spare = part.room + count;
}

// Both halves lie side by side, so where one is flat and the other is not, the points of the flat
// one are inserted into the other.
void sew_flat(Part& part, const Part& lower, const Part& upper) {
  if (lower.hull == nullptr && upper.hull == nullptr) {
    triangulate(part);
    return;
  }
  const Part& flat = lower.hull == nullptr ? lower : upper;
  const Part& other = lower.hull == nullptr ? upper : lower;
  TriangleList unused({flat.room, 2 * flat.vertices.size()});
  Inserter<TriangleList> mesh(unused, other.hull);
  for (const Vertex& vertex : flat.vertices) mesh.insert(vertex);
  part.hull = mesh.hull();
  part.spare = other.spare;
}

void refine(Part& part, std::size_t leaf_points) {
  if (part.vertices.size() <= leaf_points) {
    triangulate(part);
    return;
  }
  const Division division = choose_division(part.vertices);
  const auto middle =
      std::partition(part.vertices.begin(), part.vertices.end(),
                     [&](const Vertex& v) { return division.cut.key(v.point) < division.pivot; });
  const auto below = static_cast<std::size_t>(middle - part.vertices.begin());
  Part lower{part.vertices.first(below), part.room, nullptr, nullptr};
  Part upper{part.vertices.subspan(below), part.room + 2 * below, nullptr, nullptr};
#pragma omp task shared(lower) firstprivate(leaf_points)
  refine(lower, leaf_points);
  refine(upper, leaf_points);
#pragma omp taskwait
  if (lower.hull == nullptr || upper.hull == nullptr) {
    sew_flat(part, lower, upper);
    return;
  }
  Triangle* const extra[2] = {&lower.spare[0], &lower.spare[1]};
  part.hull = join({lower.hull, upper.hull}, division.cut, extra);
  part.spare = upper.spare;
}

}  // namespace

TaskMesh triangulate_tasks(std::span<const Vertex> input, std::size_t leaf_points) {
  std::vector<Vertex> vertices(input.begin(), input.end());
  const std::shared_ptr<Triangle[]> room(new Triangle[2 * vertices.size()]);
  Part whole{vertices, room.get(), nullptr, nullptr};
#pragma omp parallel
#pragma omp single
  refine(whole, leaf_points);
  return {whole.hull, room};
}

}  // namespace delaunay
