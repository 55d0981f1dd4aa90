// SPDX-License-Identifier: Apache-2.0
//
// The program's data for one photo: the levels of the pyramid, with their tables and their memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/photo.hpp"
#include "hwse/viola_jones/cascade.hpp"
#include "hwse/viola_jones/viola_jones.h"

namespace faces {

struct Settings {
  std::size_t band;  // rows of a task
  bool loops;
};

class Detector {
 public:
  // REQUIRES: the photo and the cascade live as long.
  Detector(const kernels::Photo& photo, const Cascade& cascade, const Settings& settings);
  Detector(const Detector&) = delete;
  Detector& operator=(const Detector&) = delete;

  // Forgets all results.
  void clear();
  [[nodiscard]] bool same_results(const Detector& other) const;

  [[nodiscard]] viola_jones& program() { return program_; }
  [[nodiscard]] const viola_jones& program() const { return program_; }

 private:
  struct Memory {  // of a level
    std::vector<vj_tap> across, down;
    std::vector<std::uint32_t> sums;
    std::vector<std::uint16_t> hits;
    std::vector<std::uint32_t> counts;
  };
  void add_level(const kernels::Photo& photo, const Cascade& cascade, float scale);

  std::size_t stride_;
  FlatCascade cascade_;
  std::vector<Memory> memory_;
  std::vector<vj_level> levels_;
  viola_jones program_{};
};

}  // namespace faces
