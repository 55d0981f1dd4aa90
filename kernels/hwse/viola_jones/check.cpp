// SPDX-License-Identifier: Apache-2.0
//
// See check.hpp.
#include "hwse/viola_jones/check.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace faces {
namespace {

constexpr double kPixelError = 1.5;  // of 255: weights and result are rounded
constexpr double kMeanError = 0.1;   // over a level: but rounded up as often as down
constexpr int kTooFlat = -1;         // instead of a number of stages

// A table of numbers that can be added up over rectangles.
class Table {
 public:
  Table(std::size_t width, std::size_t height) : row_(width + 1), sums_(row_ * (height + 1)) {}

  // REQUIRES: called for all columns of a row, then of the next.
  void set(std::size_t x, std::size_t y, std::uint64_t number) {
    const std::size_t at = (y + 1) * row_ + x + 1;
    sums_[at] = number + sums_[at - 1] + sums_[at - row_] - sums_[at - row_ - 1];
  }
  [[nodiscard]] std::uint64_t sum(std::size_t x, std::size_t y, const Rectangle& r) const {
    const std::size_t first =
        (y + static_cast<std::size_t>(r.y)) * row_ + x + static_cast<std::size_t>(r.x);
    const std::size_t last = first + static_cast<std::size_t>(r.height) * row_;
    const auto width = static_cast<std::size_t>(r.width);
    return sums_[last + width] - sums_[last] - (sums_[first + width] - sums_[first]);
  }

 private:
  std::size_t row_;
  std::vector<std::uint64_t> sums_;
};

// A level, pixel by pixel.
class Image {
 public:
  Image(const vj_level& level, std::size_t stride)
      : pixels_(level.width, level.height), squares_(level.width, level.height) {
    for (std::size_t y = 0; y < level.height; ++y) {
      for (std::size_t x = 0; x < level.width; ++x) {
        const std::uint32_t* sums = level.sums + y * 2 * stride + x;
        const std::uint32_t pixel = single(sums, 2 * stride);
        pixels_.set(x, y, pixel);
        squares_.set(x, y, static_cast<std::uint64_t>(pixel) * pixel);
        squares_match_ = squares_match_ && single(sums + stride, 2 * stride) == pixel * pixel;
      }
    }
  }
  [[nodiscard]] const Table& pixels() const { return pixels_; }
  [[nodiscard]] const Table& squares() const { return squares_; }
  [[nodiscard]] double at(std::size_t x, std::size_t y) const {
    return static_cast<double>(pixels_.sum(x, y, {0, 0, 1, 1, 1}));
  }
  [[nodiscard]] bool squares_match() const { return squares_match_; }

 private:
  static std::uint32_t single(const std::uint32_t* sums, std::size_t row) {
    return sums[row + 1] - sums[row] - sums[1] + sums[0];
  }

  Table pixels_;
  Table squares_;
  bool squares_match_ = true;
};

// The photo between its pixels, along each axis.
struct Place {
  std::size_t first;
  std::size_t second;
  double share;  // of the second
};

Place place(std::size_t at, std::size_t count, std::size_t source_count) {
  const double scale = static_cast<double>(source_count) / static_cast<double>(count);
  const double centre = std::clamp((static_cast<double>(at) + 0.5) * scale - 0.5, 0.0,
                                   static_cast<double>(source_count - 1));
  const auto first = static_cast<std::size_t>(centre);
  return {first, std::min(first + 1, source_count - 1), centre - std::floor(centre)};
}

bool is_reduced_photo(const Image& image, const vj_level& level, const kernels::Photo& photo) {
  double error_sum = 0;
  for (std::size_t y = 0; y < level.height; ++y) {
    const Place down = place(y, level.height, photo.height);
    for (std::size_t x = 0; x < level.width; ++x) {
      const Place across = place(x, level.width, photo.width);
      const auto row = [&](std::size_t source) {
        const std::uint8_t* pixels = photo.pixels.data() + source * photo.width;
        return (1 - across.share) * pixels[across.first] + across.share * pixels[across.second];
      };
      const double expected = (1 - down.share) * row(down.first) + down.share * row(down.second);
      const double error = image.at(x, y) - expected;
      if (std::abs(error) > kPixelError) return false;
      error_sum += error;
    }
  }
  return std::abs(error_sum) <= kMeanError * static_cast<double>(level.width * level.height);
}

class Window {
 public:
  Window(const Image& image, std::size_t x, std::size_t y) : image_(image), x_(x), y_(y) {}

  [[nodiscard]] int stages_passed(const Cascade& cascade) const {
    const std::optional<float> factor = normalisation(cascade);
    if (!factor) return kTooFlat;
    int passed = 0;
    for (const Stage& stage : cascade.stages) {
      double total = 0;
      for (const Stump& stump : stage.stumps) {
        total += *factor * value(stump) < stump.threshold ? stump.below : stump.above;
      }
      if (total < stage.threshold) break;
      ++passed;
    }
    return passed;
  }

 private:
  [[nodiscard]] std::optional<float> normalisation(const Cascade& cascade) const {
    const Rectangle inside{1, 1, cascade.width - 2, cascade.height - 2, 1};
    const double area = inside.width * inside.height;
    const auto sum = static_cast<double>(image_.pixels().sum(x_, y_, inside));
    const auto squares = static_cast<double>(image_.squares().sum(x_, y_, inside));
    const double deviation = area * squares - sum * sum;
    if (deviation <= 0) return {};
    const auto factor = static_cast<float>(1 / std::sqrt(deviation));
    if (area * factor >= 0.1) return {};
    return factor;
  }
  [[nodiscard]] float value(const Stump& stump) const {
    float result = 0;
    for (const Rectangle& r : stump.rectangles) {
      result += r.weight * static_cast<float>(image_.pixels().sum(x_, y_, r));
    }
    return result;
  }

  const Image& image_;
  std::size_t x_;
  std::size_t y_;
};

// The columns of the windows of a row that should have passed.
std::vector<std::uint16_t> judge_row(const Image& image, const vj_level& level, std::size_t row,
                                     const Cascade& cascade) {
  std::vector<std::uint16_t> passing;
  std::size_t x = 0;
  while (x < level.window_columns) {
    const int passed = Window(image, x, row * level.step).stages_passed(cascade);
    if (passed == static_cast<int>(cascade.stages.size())) {
      passing.push_back(static_cast<std::uint16_t>(x));
    }
    x += passed == 0 ? 2 * level.step : level.step;
  }
  return passing;
}

bool windows_agree(const Image& image, const vj_level& level, const Cascade& cascade) {
  for (std::size_t row = 0; row < vj_scanned_rows(&level); ++row) {
    const std::uint16_t* hits = level.hits + row * level.window_columns;
    const std::vector<std::uint16_t> passing = judge_row(image, level, row, cascade);
    if (!std::equal(passing.begin(), passing.end(), hits, hits + level.counts[row])) return false;
  }
  return true;
}

}  // namespace

std::string verify(const viola_jones& program, const kernels::Photo& photo,
                   const Cascade& cascade) {
  for (std::size_t i = 0; i < program.level_count; ++i) {
    const vj_level& level = program.levels[i];
    const std::string where = " on level " + std::to_string(i);
    const Image image(level, program.stride);
    if (!image.squares_match()) return "the sums of squares are wrong" + where;
    if (!is_reduced_photo(image, level, photo)) return "the pixels are wrong" + where;
    if (!windows_agree(image, level, cascade)) return "windows are judged wrongly" + where;
  }
  return "";
}

}  // namespace faces
