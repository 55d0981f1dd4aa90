// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/curve.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace delaunay {
namespace {

constexpr int kCurveBits = 16;  // the curve passes through a grid of 2^16 by 2^16 squares

struct Keyed {
  std::uint32_t key;
  std::uint32_t index;
};

// Distance along a Hilbert curve through the grid. From the top bit down, each step picks a
// quadrant and turns the curve for the rest; both without branches, which would be taken at random.
std::uint32_t curve_key(std::uint32_t x, std::uint32_t y) noexcept {
  std::uint32_t key = 0;
  for (int bit = kCurveBits - 1; bit >= 0; --bit) {
    const std::uint32_t right = (x >> bit) & 1, up = (y >> bit) & 1;
    key = key << 2 | ((3 * right) ^ up);
    const std::uint32_t lower = up - 1;  // all ones in the lower half: swap x and y there,
    const std::uint32_t flip = lower & (0 - right);  // and mirror them in its right quadrant
    const std::uint32_t turn = ((x ^ y) & lower) ^ flip;
    x ^= turn;
    y ^= turn;
  }
  return key;
}

std::vector<Keyed> curve_keys(std::span<const Vertex> vertices) {
  Point low = vertices[0].point, high = low;
  for (const auto& [p, index] : vertices) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  const auto extent = static_cast<std::uint32_t>(std::max(high.x - low.x, high.y - low.y));
  const int shift = std::max(0, static_cast<int>(std::bit_width(extent)) - kCurveBits);
  std::vector<Keyed> keys(vertices.size());
  for (std::uint32_t i = 0; i < vertices.size(); ++i) {
    const Point p = vertices[i].point;
    keys[i] = {curve_key(static_cast<std::uint32_t>(p.x - low.x) >> shift,
                         static_cast<std::uint32_t>(p.y - low.y) >> shift),
               i};
  }
  return keys;
}

// Radix sort; equal keys stay in the order of their indices.
void sort_by_key(std::vector<Keyed>& keys) {
  constexpr int kDigitBits = 11;
  constexpr std::uint32_t kDigits = 1U << kDigitBits;
  std::vector<Keyed> sorted(keys.size());
  for (int shift = 0; shift < 2 * kCurveBits; shift += kDigitBits) {
    std::array<std::uint32_t, kDigits + 1> place{};
    for (const Keyed k : keys) ++place[((k.key >> shift) & (kDigits - 1)) + 1];
    for (std::uint32_t digit = 0; digit < kDigits; ++digit) place[digit + 1] += place[digit];
    for (const Keyed k : keys) sorted[place[(k.key >> shift) & (kDigits - 1)]++] = k;
    keys.swap(sorted);
  }
}

}  // namespace

void sort_along_curve(std::span<Vertex> vertices) {
  if (vertices.empty()) return;
  std::vector<Keyed> keys = curve_keys(vertices);
  sort_by_key(keys);
  const std::vector<Vertex> unsorted(vertices.begin(), vertices.end());
  for (std::size_t i = 0; i < keys.size(); ++i) vertices[i] = unsorted[keys[i].index];
}

}  // namespace delaunay
