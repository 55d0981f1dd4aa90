// SPDX-License-Identifier: Apache-2.0
//
// Hue and saturation as real numbers. The kernel rounds them, so a pixel less than kSlack within
// the range may be marked or not; all others are decided. In a made video the disc's centre is
// known, too.
#include "hwse/colour_tracking/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tracking {
namespace {

constexpr double kSlack = 0.6;         // half a unit of rounding, and the reciprocals' own
constexpr double kCentreDistance = 1;  // pixels

struct Colour {
  double channel[TRACKING_CHANNELS];  // hue (0 to 180), saturation and brightness (0 to 255)
};

Colour colour_of(const std::uint8_t* rgb) {
  const double red = rgb[0];
  const double green = rgb[1];
  const double blue = rgb[2];
  const double value = std::max({red, green, blue});
  const double chroma = value - std::min({red, green, blue});
  double sector = 0;
  if (chroma > 0 && value == red) {
    sector = std::fmod((green - blue) / chroma + 6, 6);
  } else if (chroma > 0 && value == green) {
    sector = (blue - red) / chroma + 2;
  } else if (chroma > 0) {
    sector = (red - green) / chroma + 4;
  }
  return {{30 * sector, value == 0 ? 0 : 255 * chroma / value, value}};
}

// Is the colour in the range, if the range is grown by `slack` on every side?
bool is_inside(const Colour& colour, const tracking_range& range, double slack) {
  for (int i = 0; i < TRACKING_CHANNELS; ++i) {
    if (colour.channel[i] < range.low[i] - slack) return false;
    if (colour.channel[i] > range.high[i] + slack) return false;
  }
  return true;
}

// How many pixels must be marked, and how many may.
struct Bounds {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

Bounds bounds_of(const Video& video, std::size_t frame, const tracking_range& range) {
  const std::size_t pixel_count = video.width * video.height;
  const std::uint8_t* pixels = video.frames.data() + frame * pixel_count * TRACKING_CHANNELS;
  Bounds bounds;
  for (std::size_t i = 0; i < pixel_count; ++i) {
    const Colour colour = colour_of(pixels + i * TRACKING_CHANNELS);
    bounds.least += is_inside(colour, range, -kSlack) ? 1 : 0;
    bounds.most += is_inside(colour, range, kSlack) ? 1 : 0;
  }
  return bounds;
}

bool is_near(const tracking_sums& sums, Position centre) {
  const auto count = static_cast<double>(sums.count);
  const double x = static_cast<double>(sums.x) / count;
  const double y = static_cast<double>(sums.y) / count;
  return std::hypot(x - centre.x, y - centre.y) <= kCentreDistance;  // false without marks
}

}  // namespace

std::string check_track(const Video& video, const tracking_range& range,
                        const std::vector<tracking_sums>& track) {
  for (std::size_t frame = 0; frame < video.frame_count; ++frame) {
    const Bounds bounds = bounds_of(video, frame, range);
    const std::uint64_t count = track[frame].count;
    if (count < bounds.least || count > bounds.most) {
      return fmt::format("{} pixels are marked in frame {}, not {} to {}", count, frame,
                         bounds.least, bounds.most);
    }
    if (!video.path.empty() && !is_near(track[frame], video.path[frame])) {
      return fmt::format("the disc is elsewhere in frame {}", frame);
    }
  }
  return "";
}

}  // namespace tracking
