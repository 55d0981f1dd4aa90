// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this folder share: a seed, and clouds of points that are hard in different
// ways.
#pragma once

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "allocator/delaunay/input.hpp"

namespace delaunay {

// A new seed for each run; MYR_TEST_SEED=N replays one. Tests CAPTURE it.
inline unsigned test_seed() {
  const char* text = std::getenv("MYR_TEST_SEED");
  return text != nullptr ? static_cast<unsigned>(std::stoul(text)) : std::random_device{}();
}

// Few or many points on a small or a large grid, so that some are equal, on one line, or on one
// circle.
inline std::vector<Vertex> grid_points(std::mt19937& random, int count_max) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int count = below(count_max + 1);
  const int width = 1 + below(below(2) == 0 ? 12 : 1000);
  const int height = 1 + below(below(2) == 0 ? 8 : 1000);
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) points.push_back({below(width), below(height)});
  return distinct_vertices(points);
}

// Points with all coordinates at the ends of the allowed range or next to it.
inline std::vector<Vertex> corner_points(std::mt19937& random) {
  const auto coordinate = [&] {
    const auto inwards = static_cast<std::int32_t>(random() % 3);
    return random() % 2 == 0 ? kCoordinateMax - inwards : inwards - kCoordinateMax;
  };
  std::vector<Point> points(20);
  for (Point& p : points) {
    p.x = coordinate();
    p.y = coordinate();
  }
  return distinct_vertices(points);
}

}  // namespace delaunay
