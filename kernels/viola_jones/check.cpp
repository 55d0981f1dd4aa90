// SPDX-License-Identifier: Apache-2.0
//
// See check.hpp.
#include "viola_jones/check.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "common/random.hpp"

namespace faces {
namespace {

constexpr double kPixelError = 1.5;  // of 255: weights and result are rounded
constexpr int kRowsTried = 40;       // of windows, in all levels together
constexpr std::uint64_t kSeed = 2001;
constexpr int kTooFlat = -1;  // instead of a number of stages

// A level, pixel by pixel.
class Image {
 public:
  Image(const vj_level& level, std::size_t stride) : width_(level.width) {
    for (std::size_t y = 0; y < level.height; ++y) {
      for (std::size_t x = 0; x < level.width; ++x) {
        const std::uint32_t* sums = level.sums + y * 2 * stride + x;
        const std::uint32_t pixel = single(sums, 2 * stride);
        pixels_.push_back(pixel);
        squares_match_ = squares_match_ && single(sums + stride, 2 * stride) == pixel * pixel;
      }
    }
  }
  [[nodiscard]] std::uint32_t at(std::size_t x, std::size_t y) const {
    return pixels_[y * width_ + x];
  }
  [[nodiscard]] bool squares_match() const { return squares_match_; }

 private:
  static std::uint32_t single(const std::uint32_t* sums, std::size_t row) {
    return sums[row + 1] - sums[row] - sums[1] + sums[0];
  }
  std::size_t width_;
  std::vector<std::uint32_t> pixels_;
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
  for (std::size_t y = 0; y < level.height; ++y) {
    const Place down = place(y, level.height, photo.height);
    for (std::size_t x = 0; x < level.width; ++x) {
      const Place across = place(x, level.width, photo.width);
      const auto row = [&](std::size_t source) {
        const std::uint8_t* pixels = photo.pixels.data() + source * photo.width;
        return (1 - across.share) * pixels[across.first] + across.share * pixels[across.second];
      };
      const double expected = (1 - down.share) * row(down.first) + down.share * row(down.second);
      if (std::abs(expected - image.at(x, y)) > kPixelError) return false;
    }
  }
  return true;
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
  template <class Function>
  void each_pixel(const Rectangle& r, const Function& function) const {
    for (int y = r.y; y < r.y + r.height; ++y) {
      for (int x = r.x; x < r.x + r.width; ++x) {
        function(image_.at(x_ + static_cast<std::size_t>(x), y_ + static_cast<std::size_t>(y)));
      }
    }
  }
  [[nodiscard]] std::optional<float> normalisation(const Cascade& cascade) const {
    const Rectangle inside{1, 1, cascade.width - 2, cascade.height - 2, 1};
    const double area = inside.width * inside.height;
    double sum = 0;
    double squares = 0;
    each_pixel(inside, [&](std::uint32_t pixel) { sum += pixel, squares += pixel * pixel; });
    const double deviation = area * squares - sum * sum;
    if (deviation <= 0) return {};
    const auto factor = static_cast<float>(1 / std::sqrt(deviation));
    if (area * factor >= 0.1) return {};
    return factor;
  }
  [[nodiscard]] float value(const Stump& stump) const {
    float result = 0;
    for (const Rectangle& rectangle : stump.rectangles) {
      int sum = 0;
      each_pixel(rectangle, [&](std::uint32_t pixel) { sum += static_cast<int>(pixel); });
      result += rectangle.weight * static_cast<float>(sum);
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

bool all_hits_pass(const Image& image, const vj_level& level, const Cascade& cascade) {
  for (std::size_t row = 0; row < vj_scanned_rows(&level); ++row) {
    const std::uint16_t* hits = level.hits + row * level.window_columns;
    for (std::size_t hit = 0; hit < level.counts[row]; ++hit) {
      const Window window(image, hits[hit], row * level.step);
      if (window.stages_passed(cascade) != static_cast<int>(cascade.stages.size())) return false;
    }
  }
  return true;
}

bool some_rows_agree(const Image& image, const vj_level& level, const Cascade& cascade,
                     std::size_t row_count, kernels::Random& random) {
  for (std::size_t i = 0; i < row_count; ++i) {
    const std::size_t row = random.next() % vj_scanned_rows(&level);
    const std::uint16_t* hits = level.hits + row * level.window_columns;
    const std::vector<std::uint16_t> passing = judge_row(image, level, row, cascade);
    if (!std::equal(passing.begin(), passing.end(), hits, hits + level.counts[row])) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string verify(const viola_jones& program, const kernels::Photo& photo,
                   const Cascade& cascade) {
  kernels::Random random(kSeed);
  const std::size_t row_count = kRowsTried / program.level_count + 1;
  for (std::size_t i = 0; i < program.level_count; ++i) {
    const vj_level& level = program.levels[i];
    const std::string where = " on level " + std::to_string(i);
    const Image image(level, program.stride);
    if (!image.squares_match()) return "the sums of squares are wrong" + where;
    if (!is_reduced_photo(image, level, photo)) return "the pixels are wrong" + where;
    if (!all_hits_pass(image, level, cascade)) return "a window passed that should not" + where;
    if (!some_rows_agree(image, level, cascade, row_count, random)) {
      return "the windows of a row are judged wrongly" + where;
    }
  }
  return "";
}

}  // namespace faces
