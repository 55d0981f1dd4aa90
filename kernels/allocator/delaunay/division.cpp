// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/division.hpp"

#include <algorithm>
#include <vector>

namespace delaunay {

Division choose_division(std::span<const Vertex> vertices) {
  constexpr std::size_t kSampleMax = 128;
  std::vector<Point> sample(std::min(kSampleMax, vertices.size()));
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i] = vertices[i * vertices.size() / sample.size()].point;
  }
  const auto [left, right] = std::ranges::minmax(sample, {}, &Point::x);
  const auto [bottom, top] = std::ranges::minmax(sample, {}, &Point::y);
  const Cut cut{right.x - left.x > top.y - bottom.y};
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::ranges::nth_element(sample, middle, {}, [cut](Point p) { return cut.key(p); });
  return {cut, cut.key(*middle)};
}

}  // namespace delaunay
