// SPDX-License-Identifier: Apache-2.0
//
// The triangulation as the Myrmics allocator paper has it (section 6.4): a grid of squares, and
// points that are put off.
//
// The plane is a region with four quadrants, which are regions with four quadrants each, and so on;
// a triangle lies in the region of the square of the last level that holds its circumcentre. One
// task inserts the first points into the whole plane, then four insert more into a quadrant each,
// then sixteen, and so on. A task has the regions of the four squares below its own. A point whose
// walk or cavity leaves these is put off; three times the squares are dealt out anew, to the
// right, down and to the left, so that the borders lie elsewhere, and the points tried again. A
// task that has the whole plane inserts what is left after all that.
#pragma once

#include <cstddef>
#include <span>

#include "allocator/delaunay/tasks.hpp"

namespace delaunay {

// Levels of quadrants: 4^kGridLevelsMax squares.
inline constexpr int kGridLevelsMax = 6;

struct GridMesh {
  TaskMesh mesh;
  std::size_t put_off;  // how often a point was; each time counts
};

// A task inserts about `area_points` points before the next level begins; on the last level, with
// 4^(levels - 1) tasks at a time, all. REQUIRES: different points; 1 <= levels <= kGridLevelsMax.
// Called outside tasks; its tasks have ended when it returns.
[[nodiscard]] GridMesh triangulate_grid(std::span<const Vertex> input, std::size_t area_points,
                                        int levels);

}  // namespace delaunay
