// SPDX-License-Identifier: Apache-2.0
//
// See check.hpp.
#include "hwse/fast/check.hpp"

#include <algorithm>
#include <array>

namespace fast_check {
namespace {

constexpr int kRun = 9;
constexpr int kBorder = FAST_BORDER;

// The ring, drawn: the pixels of a 7 x 7 square in the order in which a walk around meets them.
constexpr std::array<const char*, 7> kRing = {"  pab  ",  //
                                              " o   c ",  //
                                              "n     d",  //
                                              "m     e",  //
                                              "l     f",  //
                                              " k   g ",  //
                                              "  jih  "};
constexpr int kRingLength = 16;

using Ring = std::array<int, kRingLength>;

Ring ring_around(const fast& f, std::size_t x, std::size_t y) {
  Ring ring{};
  for (std::size_t row = 0; row < kRing.size(); ++row) {
    for (std::size_t column = 0; column < kRing.size(); ++column) {
      const char letter = kRing[row][column];
      if (letter == ' ') continue;
      ring[static_cast<std::size_t>(letter - 'a')] =
          f.pixels[(y + row - kBorder) * f.width + x + column - kBorder];
    }
  }
  return ring;
}

template <class Test>
bool has_run(const Ring& ring, const Test& test) {
  for (std::size_t start = 0; start < ring.size(); ++start) {
    int length = 0;
    while (length < kRun && test(ring[(start + static_cast<std::size_t>(length)) % ring.size()])) {
      ++length;
    }
    if (length == kRun) return true;
  }
  return false;
}

bool is_corner(const Ring& ring, int centre, int threshold) {
  return has_run(ring, [&](int pixel) { return pixel > centre + threshold; }) ||
         has_run(ring, [&](int pixel) { return pixel < centre - threshold; });
}

// 0: no corner.
int score_at(const fast& f, std::size_t x, std::size_t y) {
  const Ring ring = ring_around(f, x, y);
  const int centre = f.pixels[y * f.width + x];
  if (!is_corner(ring, centre, f.threshold)) return 0;
  int score = f.threshold;
  while (is_corner(ring, centre, score + 1)) ++score;
  return score;
}

}  // namespace

std::vector<Corner> listed(const fast& f) {
  std::vector<Corner> corners;
  for (std::size_t y = kBorder; y < f.height - kBorder; ++y) {
    for (std::size_t i = 0; i < f.counts[y]; ++i) {
      const std::size_t x = f.columns[y * f.width + i];
      corners.push_back({x, y, f.scores[y * f.width + x]});
    }
  }
  return corners;
}

std::vector<Corner> defined(const fast& f) {
  std::vector<int> scores(f.width * f.height);
  for (std::size_t y = kBorder; y < f.height - kBorder; ++y) {
    for (std::size_t x = kBorder; x < f.width - kBorder; ++x) {
      scores[y * f.width + x] = score_at(f, x, y);
    }
  }
  std::vector<Corner> corners;
  for (std::size_t y = kBorder; y < f.height - kBorder; ++y) {
    for (std::size_t x = kBorder; x < f.width - kBorder; ++x) {
      const int score = scores[y * f.width + x];
      if (score == 0) continue;
      int rivals = 0;  // the pixel itself among them
      for (std::size_t row = y - 1; row <= y + 1; ++row) {
        const int* around = scores.data() + row * f.width + x - 1;
        rivals += static_cast<int>(
            std::count_if(around, around + 3, [&](int other) { return other >= score; }));
      }
      if (f.all || rivals == 1) corners.push_back({x, y, score});
    }
  }
  return corners;
}

}  // namespace fast_check
