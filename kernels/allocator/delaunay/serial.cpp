// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/serial.hpp"

#include <vector>

#include "allocator/delaunay/bowyer_watson.hpp"

namespace delaunay {

SerialMesh triangulate_serial(std::span<const Vertex> input) {
  std::vector<Vertex> vertices(input.begin(), input.end());
  const std::size_t count = mesh_triangles(vertices.size());
  auto triangles = std::make_unique_for_overwrite<Triangle[]>(count);
  TriangleList unused({triangles.get(), count});
  const Triangle* hull = bowyer_watson(vertices, unused);
  return {std::move(triangles), hull};
}

}  // namespace delaunay
