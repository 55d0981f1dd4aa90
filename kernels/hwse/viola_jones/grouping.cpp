// SPDX-License-Identifier: Apache-2.0
//
// See grouping.hpp.
#include "hwse/viola_jones/grouping.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace faces {
namespace {

constexpr double kTolerance = 0.2;  // of the size of a box, between boxes that are alike
constexpr int kFewBoxes = 3;        // a group of no more does not swallow others

struct Group {
  Box mean{};
  int count = 0;
};

int rounded(double value) { return static_cast<int>(std::lrint(value)); }
int right(const Box& box) { return box.x + box.width; }
int bottom(const Box& box) { return box.y + box.height; }

bool alike(const Box& a, const Box& b) {
  const int size = std::min(a.width, b.width) + std::min(a.height, b.height);
  const double limit = kTolerance * size * 0.5;
  const int difference = std::max({std::abs(a.x - b.x), std::abs(a.y - b.y),
                                   std::abs(right(a) - right(b)), std::abs(bottom(a) - bottom(b))});
  return difference <= limit;
}

// For each box the first one that it is joined with.
std::vector<std::size_t> leaders(const std::vector<Box>& boxes) {
  std::vector<std::size_t> leader(boxes.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!alike(boxes[i], boxes[j])) continue;
      const auto [first, second] = std::minmax({find(i), find(j)});
      leader[second] = first;
    }
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) leader[i] = find(i);
  return leader;
}

std::vector<Group> joined(const std::vector<Box>& boxes) {
  const std::vector<std::size_t> leader = leaders(boxes);
  std::vector<Group> groups(boxes.size());  // at the place of their first box
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    auto& [sum, count] = groups[leader[i]];
    sum = {sum.x + boxes[i].x, sum.y + boxes[i].y, sum.width + boxes[i].width,
           sum.height + boxes[i].height};
    ++count;
  }
  std::erase_if(groups, [](const Group& one) { return one.count == 0; });
  for (auto& [box, count] : groups) {
    const float share = 1.0F / static_cast<float>(count);
    const auto mean = [&](int sum) { return rounded(static_cast<float>(sum) * share); };
    box = {mean(box.x), mean(box.y), mean(box.width), mean(box.height)};
  }
  return groups;
}

bool swallows(const Group& outer, const Group& inner) {
  if (outer.count <= std::max(kFewBoxes, inner.count) && inner.count >= kFewBoxes) return false;
  const int aside = rounded(outer.mean.width * kTolerance);
  const int above = rounded(outer.mean.height * kTolerance);
  return inner.mean.x >= outer.mean.x - aside && inner.mean.y >= outer.mean.y - above &&
         right(inner.mean) <= right(outer.mean) + aside &&
         bottom(inner.mean) <= bottom(outer.mean) + above;
}

}  // namespace

std::vector<Box> candidates(const viola_jones& program) {
  std::vector<Box> boxes;
  const vj_cascade& cascade = *program.cascade;
  for (std::size_t i = 0; i < program.level_count; ++i) {
    const vj_level& level = program.levels[i];
    const auto on_photo = [&](std::size_t length) {
      return static_cast<int>(std::lrint(static_cast<float>(length) * level.scale));
    };
    for (std::size_t row = 0; row < vj_scanned_rows(&level); ++row) {
      const std::uint16_t* hits = level.hits + row * level.window_columns;
      for (std::size_t hit = 0; hit < level.counts[row]; ++hit) {
        boxes.push_back({on_photo(hits[hit]), on_photo(row * level.step), on_photo(cascade.width),
                         on_photo(cascade.height)});
      }
    }
  }
  return boxes;
}

std::vector<Box> group(const std::vector<Box>& boxes, int neighbours) {
  std::vector<Group> groups = joined(boxes);
  std::erase_if(groups, [&](const Group& one) { return one.count <= neighbours; });
  std::vector<Box> result;
  for (const Group& one : groups) {
    const bool lies_in_other = std::any_of(groups.begin(), groups.end(), [&](const Group& other) {
      return &other != &one && swallows(other, one);
    });
    if (!lies_in_other) result.push_back(one.mean);
  }
  return result;
}

std::vector<Box> clipped(std::vector<Box> boxes, int width, int height) {
  for (Box& box : boxes) {
    const int x = std::max(box.x, 0);
    const int y = std::max(box.y, 0);
    box = {x, y, std::min(right(box), width) - x, std::min(bottom(box), height) - y};
  }
  return boxes;
}

}  // namespace faces
