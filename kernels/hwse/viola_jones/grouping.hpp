// SPDX-License-Identifier: Apache-2.0
//
// From windows to faces: a face is found by many windows, a false alarm by few.
#pragma once

#include <vector>

#include "hwse/viola_jones/viola_jones.h"

namespace faces {

// In pixels of the photo.
struct Box {
  int x;
  int y;
  int width;
  int height;
  auto operator<=>(const Box&) const = default;
};

// The windows that passed all stages.
[[nodiscard]] std::vector<Box> candidates(const viola_jones& program);

// The mean boxes of groups of more than `neighbours` candidates that are alike, or at least joined
// by some that are; without groups that lie in a larger one. The rules and constants are OpenCV's.
[[nodiscard]] std::vector<Box> group(const std::vector<Box>& boxes, int neighbours);

// The parts of the boxes that lie in a photo of that size.
[[nodiscard]] std::vector<Box> clipped(std::vector<Box> boxes, int width, int height);

}  // namespace faces
