// SPDX-License-Identifier: Apache-2.0
//
// Where the points come from: a file or a random generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "allocator/delaunay/triangle.hpp"

namespace delaunay {

// Reads a file of points: for each, x and y as 4-byte little-endian integers. Throws
// std::runtime_error with a full sentence if there is no such file or it holds something else.
[[nodiscard]] std::vector<Point> read_points(const std::string& path);

// Points spread evenly over the square of all allowed coordinates.
[[nodiscard]] std::vector<Point> random_points(std::size_t count, std::uint64_t seed);

// The points as vertices with their places in the input; of equal points only the first.
[[nodiscard]] std::vector<Vertex> distinct_vertices(std::span<const Point> points);

}  // namespace delaunay
