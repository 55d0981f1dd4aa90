// SPDX-License-Identifier: Apache-2.0
//
// Reading and making videos; see video.hpp.
#include "hwse/colour_tracking/video.hpp"

#include <cmath>
#include <stdexcept>

#include "common/files.hpp"
#include "common/random.hpp"
#include "hwse/colour_tracking/colour_tracking.h"

namespace tracking {
namespace {

constexpr std::size_t kSideMax = 1 << 14;
constexpr std::uint64_t kSeed = 2014;
constexpr double kTurn = 2 * 3.14159265358979323846;

// The head of a PPM picture of bytes, up to the white space before its pixels.
bool read_head(std::istream& file, std::size_t& width, std::size_t& height) {
  std::string kind;
  std::size_t brightest = 0;
  file >> kind >> width >> height >> brightest;
  file.get();
  return file && kind == "P6" && brightest == 255 && width > 0 && height > 0 && width <= kSideMax &&
         height <= kSideMax;
}

void paint_frame(std::uint8_t* pixel, const Video& video, Position centre,
                 kernels::Random& random) {
  const double radius = 0.12 * static_cast<double>(video.height);
  for (std::size_t y = 0; y < video.height; ++y) {
    for (std::size_t x = 0; x < video.width; ++x, pixel += TRACKING_CHANNELS) {
      const double distance =
          std::hypot(static_cast<double>(x) - centre.x, static_cast<double>(y) - centre.y);
      const auto noise = static_cast<std::uint8_t>(random.next() % 40);
      const bool disc = distance < radius;
      pixel[0] = disc ? 210 + noise : 90 + noise;
      pixel[1] = disc ? 120 + noise / 2 : 90 + noise;
      pixel[2] = disc ? 20 : 100 + noise + static_cast<std::uint8_t>(x * 100 / video.width);
    }
  }
}

}  // namespace

Video read_video(const std::string& path) {
  Video video;
  const auto fail = [&](const char* why) { throw std::runtime_error(path + ": " + why); };
  std::ifstream file = kernels::open_file(path);
  while (file.peek() != std::ifstream::traits_type::eof()) {
    std::size_t width = 0;
    std::size_t height = 0;
    if (!read_head(file, width, height))
      fail("not a PPM picture with bytes of red, green and blue");
    if (video.frame_count > 0 && (width != video.width || height != video.height)) {
      fail("the frames differ in size");
    }
    video.width = width;
    video.height = height;
    const std::size_t bytes = width * height * TRACKING_CHANNELS;
    video.frames.resize((video.frame_count + 1) * bytes);
    file.read(reinterpret_cast<char*>(video.frames.data() + video.frame_count * bytes),
              static_cast<std::streamsize>(bytes));
    if (!file) fail("the last frame is cut off");
    ++video.frame_count;
  }
  if (video.frame_count == 0) fail("no frames");
  return video;
}

Video make_video(std::size_t width, std::size_t frame_count) {
  Video video{width, width * 3 / 4, frame_count, {}, {}};
  const std::size_t bytes = video.width * video.height * TRACKING_CHANNELS;
  video.frames.resize(bytes * frame_count);
  kernels::Random random(kSeed);
  for (std::size_t i = 0; i < frame_count; ++i) {
    const double turn = kTurn * static_cast<double>(i) / static_cast<double>(frame_count);
    video.path.push_back({(0.5 + 0.3 * std::cos(turn)) * static_cast<double>(video.width),
                          (0.5 + 0.3 * std::sin(2 * turn)) * static_cast<double>(video.height)});
    paint_frame(video.frames.data() + i * bytes, video, video.path.back(), random);
  }
  return video;
}

}  // namespace tracking
