// SPDX-License-Identifier: Apache-2.0
//
// See detector.hpp. Sizes and weights follow OpenCV's detectMultiScale(), rounding included.
#include "hwse/viola_jones/detector.hpp"

#include <algorithm>
#include <cmath>

namespace faces {
namespace {

constexpr double kScaleStep = 1.1;  // from a level to the next, as is OpenCV's default
constexpr float kScaleOfSteps = 2;  // levels reduced less than this are scanned in steps of two

// For each of `count` pixels of a level, the two of the photo's `source_count` around its centre.
std::vector<vj_tap> taps(std::size_t source_count, std::size_t count) {
  std::vector<vj_tap> result;
  const double scale = 1 / (static_cast<double>(count) / static_cast<double>(source_count));
  const auto last = static_cast<double>(source_count - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const double centre = scale * (static_cast<double>(i) + 0.5) - 0.5;
    const double place = std::clamp(centre, 0.0, last);
    const double left = std::min(std::floor(place), last - 1);
    result.push_back({static_cast<std::uint32_t>(left),
                      static_cast<std::uint32_t>(std::lrint((place - left) * 256))});
  }
  return result;
}

std::size_t divided(std::size_t count, float scale) {
  return static_cast<std::size_t>(std::lrint(static_cast<float>(count) / scale));
}

}  // namespace

Detector::Detector(const kernels::Photo& photo, const Cascade& cascade, const Settings& settings)
    : stride_(photo.width + 1), cascade_(cascade, 2 * stride_) {
  for (double scale = 1;; scale *= kScaleStep) {
    const auto width = static_cast<std::size_t>(std::lrint(cascade.width * scale));
    const auto height = static_cast<std::size_t>(std::lrint(cascade.height * scale));
    if (width > photo.width || height > photo.height) break;
    add_level(photo, cascade, static_cast<float>(scale));
  }
  program_ = {.pixels = photo.pixels.data(),
              .width = photo.width,
              .stride = stride_,
              .row = 2 * stride_,
              .band = settings.band,
              .loops = settings.loops,
              .cascade = &cascade_.get(),
              .levels = levels_.data(),
              .level_count = levels_.size()};
}

void Detector::add_level(const kernels::Photo& photo, const Cascade& cascade, float scale) {
  vj_level level{};
  level.width = divided(photo.width, scale);
  level.height = divided(photo.height, scale);
  const auto window_width = static_cast<std::size_t>(cascade.width);
  const auto window_height = static_cast<std::size_t>(cascade.height);
  if (level.width < window_width || level.height < window_height) return;
  level.scale = scale;
  level.step = scale < kScaleOfSteps ? 2 : 1;
  level.window_columns = level.width + 1 - window_width;
  level.window_reach = level.height + 1 - window_height;

  const std::size_t numbers = (level.height + 1) * 2 * stride_;
  const std::size_t window_rows = vj_scanned_rows(&level);
  Memory& memory = memory_.emplace_back(
      Memory{.across = taps(photo.width, level.width),
             .down = taps(photo.height, level.height),
             .sums = std::vector<std::uint32_t>(numbers),
             .hits = std::vector<std::uint16_t>(window_rows * level.window_columns),
             .counts = std::vector<std::uint32_t>(window_rows)});
  level.across = memory.across.data();
  level.down = memory.down.data();
  level.sums = memory.sums.data();
  level.hits = memory.hits.data();
  level.counts = memory.counts.data();
  levels_.push_back(level);
}

void Detector::clear() {
  for (Memory& memory : memory_) {
    std::fill(memory.sums.begin(), memory.sums.end(), 0);
    std::fill(memory.hits.begin(), memory.hits.end(), 0);
    std::fill(memory.counts.begin(), memory.counts.end(), 0);
  }
}

bool Detector::same_results(const Detector& other) const {
  return std::equal(memory_.begin(), memory_.end(), other.memory_.begin(), other.memory_.end(),
                    [](const Memory& a, const Memory& b) {
                      return a.sums == b.sums && a.hits == b.hits && a.counts == b.counts;
                    });
}

}  // namespace faces
