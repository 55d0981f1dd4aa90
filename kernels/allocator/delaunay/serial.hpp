// SPDX-License-Identifier: Apache-2.0
//
// The serial twin: the same triangulation as a plain serial program, without tasks and regions. Its
// time is the "serial time" that the task program is measured against.
#pragma once

#include <memory>
#include <span>

#include "allocator/delaunay/triangle.hpp"

namespace delaunay {

struct SerialMesh {
  std::unique_ptr<Triangle[]> triangles;
  const Triangle* hull;  // a ghost; nullptr: all points lie on one line
};

// REQUIRES: different points.
[[nodiscard]] SerialMesh triangulate_serial(std::span<const Vertex> input);

}  // namespace delaunay
