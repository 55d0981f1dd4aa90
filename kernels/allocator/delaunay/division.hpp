// SPDX-License-Identifier: Apache-2.0
//
// Where the programs with tasks cut a part of the plane in two.
#pragma once

#include <cstdint>
#include <span>

#include "allocator/delaunay/seam.hpp"

namespace delaunay {

struct Division {
  Cut cut;
  std::int64_t pivot;  // at least one key is below it, and one is not
};

// Cuts across the longer side of the bounding box of a sample, at its median key. REQUIRES: at
// least two different points.
[[nodiscard]] Division choose_division(std::span<const Vertex> vertices);

}  // namespace delaunay
