// SPDX-License-Identifier: Apache-2.0
//
// Looks at finished meshes: what they consist of, and whether they are Delaunay triangulations.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "allocator/delaunay/triangle.hpp"

namespace delaunay {

// A triangle by its corners, counter-clockwise, the least index first.
using Corners = std::array<PointIndex, 3>;

// All real triangles in ascending order, so that equal meshes give equal lists. nullptr: none.
[[nodiscard]] std::vector<Corners> triangle_list(const Triangle* hull);

// Says what is wrong with a mesh of so many points, or nothing. Checks each triangle and each edge:
// links, orientation, convexity of the hull, the empty circle of each pair of neighbours, and
// Euler's formula. Together they make it the Delaunay triangulation of the points.
[[nodiscard]] std::string find_fault(const Triangle* hull, std::size_t points);

}  // namespace delaunay
