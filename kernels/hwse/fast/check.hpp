// SPDX-License-Identifier: Apache-2.0
//
// Corners once more, by the letter of their definition: pixel by pixel, run by run, and a score by
// trying one threshold after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hwse/fast/fast.h"

namespace fast_check {

struct Corner {
  std::size_t x;
  std::size_t y;
  int score;
  bool operator==(const Corner&) const = default;
};

// The corners that the kernel listed, row by row.
[[nodiscard]] std::vector<Corner> listed(const fast& f);

// Those that it should have listed.
[[nodiscard]] std::vector<Corner> defined(const fast& f);

}  // namespace fast_check
