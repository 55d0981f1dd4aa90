// SPDX-License-Identifier: Apache-2.0
//
// The frames of a video: from a file, or made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tracking {

struct Position {
  double x;
  double y;
};

struct Video {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t frame_count = 0;
  std::vector<std::uint8_t> frames;  // red, green and blue of each pixel
  std::vector<Position> path;        // the centre of the disc in a made video, else empty
};

// A file of PPM pictures, one behind the other and all of one size, as `ffmpeg -f image2pipe -c:v
// ppm` writes it. Throws std::runtime_error.
[[nodiscard]] Video read_video(const std::string& path);

// An orange disc that moves over a noisy grey and blue ground.
[[nodiscard]] Video make_video(std::size_t width, std::size_t frame_count);

}  // namespace tracking
