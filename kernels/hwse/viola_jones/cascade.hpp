// SPDX-License-Identifier: Apache-2.0
//
// A cascade as OpenCV's files have it: stages of tests with one node, on upright rectangles.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hwse/viola_jones/viola_jones.h"

namespace faces {

// A part of a window, in pixels.
struct Rectangle {
  int x;
  int y;
  int width;
  int height;
  float weight;
};

struct Stump {
  std::vector<Rectangle> rectangles;  // two or three
  float threshold;
  float below;
  float above;
};

struct Stage {
  std::vector<Stump> stumps;
  float threshold;
};

struct Cascade {
  int width;  // of a window
  int height;
  std::vector<Stage> stages;
};

// Throws std::runtime_error for a file that is none or a cascade that needs more than this program
// can do.
[[nodiscard]] Cascade read_cascade(const std::string& path);

// The cascade as the program needs it, for integral images with `row` numbers a row.
class FlatCascade {
 public:
  FlatCascade(const Cascade& cascade, std::size_t row);
  FlatCascade(const FlatCascade&) = delete;
  FlatCascade& operator=(const FlatCascade&) = delete;
  [[nodiscard]] const vj_cascade& get() const { return flat_; }

 private:
  std::vector<vj_stage> stages_;
  std::vector<vj_stump> stumps_;
  vj_cascade flat_{};
};

}  // namespace faces
