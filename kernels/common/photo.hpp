// SPDX-License-Identifier: Apache-2.0
//
// Grey photographs for the kernels that see: read from a file, cut or repeated to any size. And the
// comparison of what a kernel saw with a list made by another program.
//
// Threads: used by the main thread before and after the measured runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/program.hpp"

namespace kernels {

struct Photo {
  std::size_t width;
  std::size_t height;
  std::vector<std::uint8_t> pixels;  // row by row
};

// The photograph of the tests and benchmarks, which the build makes from a file of Matplotlib.
[[nodiscard]] std::string sample_photo();

// Reads a binary PGM file with 8 bits a pixel. Throws std::runtime_error.
[[nodiscard]] Photo read_photo(const std::string& path);

// The photo cut to `width` columns and as many rows in proportion; or, where it is smaller than
// that, repeated side by side.
[[nodiscard]] Photo resized(const Photo& photo, std::size_t width);

// Compares `text` with the file's, except for the lines that begin with #. Returns the first line
// that differs, in words, or nothing.
[[nodiscard]] std::string difference(const std::string& text, const std::string& path);

// The options of a kernel that lists what it sees in a photo.
struct PhotoOptions {
  std::size_t size = 0;
  std::string path = sample_photo();
  std::string expect;  // a list that --check compares with
  std::string out;     // for the list

  void add_to(Program& program, std::size_t width_max);
  // The photo, in the size asked for. Throws std::runtime_error.
  [[nodiscard]] Photo load() const;
  // Writes the list if that was asked for.
  void write(const std::string& text) const;
};

}  // namespace kernels
