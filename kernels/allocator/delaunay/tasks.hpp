// SPDX-License-Identifier: Apache-2.0
//
// The triangulation as a task program over regions. A part of the plane has a region, which holds
// its points, its triangles and the regions of its two halves:
//
//   refine  cuts the part in two halves of equally many points and spawns a refine for each, then
//           a sew; a part with few points runs Bowyer-Watson instead
//   sew     joins the meshes of the halves along the cut (seam.hpp)
//
// Each declares one access: the region of its part. The region tree does the rest: a sew waits for
// all tasks in both halves, and seams far from each other are closed in parallel.
//
// The Myrmics allocator paper (section 6.4) cuts a grid instead, and postpones each point whose
// cavity leaves the regions at hand until the regions have been dealt out differently. Here no
// point waits and nothing is tried twice: on the towns of the world, the postponed points alone
// cost several times the serial run.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "allocator/delaunay/triangle.hpp"

namespace delaunay {

struct TaskMesh {
  const Triangle* hull;          // a ghost; nullptr: all points lie on one line
  std::shared_ptr<void> memory;  // with all triangles
};

// REQUIRES: different points; leaf_points > 0. Called outside tasks; its tasks have ended when it
// returns.
[[nodiscard]] TaskMesh triangulate_tasks(std::span<const Vertex> input, std::size_t leaf_points);

}  // namespace delaunay
