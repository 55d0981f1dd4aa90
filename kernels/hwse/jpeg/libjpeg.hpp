// SPDX-License-Identifier: Apache-2.0
//
// The library libjpeg, which the kernel is checked against and which makes its test pictures. Not
// part of what is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace jpeg {

using Bytes = std::vector<std::uint8_t>;

// How to compress a picture.
struct Format {
  unsigned width = 0;
  unsigned height = 0;
  bool grey = false;
  int h = 2;  // samples of luminance for one of colour, across and down
  int v = 2;
  int quality = 85;
  unsigned restart_interval = 0;  // in MCUs
  bool one_scan = true;           // else one for each component
};

// A file with a picture of hills and noise; the same for the same format and seed.
[[nodiscard]] Bytes make_file(const Format& format, std::uint64_t seed);

struct Picture {
  unsigned width = 0;
  unsigned height = 0;
  Bytes pixels;  // red, green, blue
};

// The picture that libjpeg decodes from a file, with its accurate integer transform. What it has to
// complain of comes back in `complaint`.
[[nodiscard]] Picture decode_with_libjpeg(const Bytes& file, std::string& complaint);

}  // namespace jpeg
