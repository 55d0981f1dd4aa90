// SPDX-License-Identifier: Apache-2.0
//
// The k-means kernel: options, input (random clouds, or points from a file), both versions, the
// check, and the centres for the picture. See README.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "chip/place_data.hpp"
#include "common/files.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "myrmics/k_means/k_means.h"

namespace {

using Point = k_means_centre;

constexpr std::uint64_t kSeed = 3;
// The error of a centre, as a share of the points' extent. A point in the middle between two
// centres may fall to another one when sums are rounded otherwise.
constexpr double kErrorMax = 1e-3;

// Clouds around random middles: each coordinate is a sum of three uniform numbers.
std::vector<Point> random_clouds(std::size_t count, std::size_t clouds) {
  kernels::Random random(kSeed);
  std::vector<Point> points(clouds);
  const auto place = [&] { return static_cast<float>(random.uniform()); };
  for (Point& middle : points) middle = {place(), place(), place()};
  points.resize(std::max(count, clouds));
  const auto offset = [&] { return 0.1F * (place() + place() + place() - 1.5F); };
  for (std::size_t i = clouds; i < count; ++i) {
    const Point& middle = points[i % clouds];
    points[i] = {middle.x + offset(), middle.y + offset(), middle.z + offset()};
  }
  points.resize(count);
  return points;
}

void fill(const k_means& data, const std::vector<Point>& points,
          const std::vector<Point>& centres) {
  k_means_start(&data, centres.data());
  auto next = points.begin();
  for (std::size_t i = 0; i < data.points.tile_total; ++i) {
    auto* tile = static_cast<k_means_tile*>(parts_tile(&data.points, i));
    tile->count = std::min(tile->room, static_cast<std::size_t>(points.end() - next));
    float* x = tile->numbers;
    for (std::size_t k = 0; k < tile->count; ++k, ++next, ++x) {
      x[0] = next->x;
      x[tile->room] = next->y;
      x[2 * tile->room] = next->z;
    }
  }
}

void spread(const k_means& data, std::int64_t cycles) {
  std::vector<kernels::DataPlacement> placements;
  for (std::size_t p = 0; p < data.points.part_count; ++p) {
    const part& part = data.points.part[p];
    placements.push_back({part.region, {}});
    for (std::size_t i = 0; i < part.tile_count; ++i) {
      placements.back().objects.push_back({part.tiles[i], data.part[p].sums[i]});
    }
  }
  kernels::place_data(data.points.region, placements, cycles);
}

double square_distance(const Point& a, const Point& b) {
  const double x = static_cast<double>(a.x) - b.x;
  const double y = static_cast<double>(a.y) - b.y;
  const double z = static_cast<double>(a.z) - b.z;
  return x * x + y * y + z * z;
}

// Where the centres start: each on the point that is farthest from all before it.
std::vector<Point> first_centres(const std::vector<Point>& points, std::size_t clusters) {
  std::vector<Point> centres{points.front()};
  std::vector<double> distances(points.size(), std::numeric_limits<double>::infinity());
  while (centres.size() < clusters) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      distances[i] = std::min(distances[i], square_distance(points[i], centres.back()));
    }
    const auto farthest = std::max_element(distances.begin(), distances.end());
    centres.push_back(points[static_cast<std::size_t>(farthest - distances.begin())]);
  }
  return centres;
}

// One iteration of the method as a book has it: all points in one list, one after the other.
std::vector<Point> iterate(const std::vector<Point>& points, std::vector<Point> centres) {
  std::vector<k_means_sum> sums(centres.size());
  for (const Point& point : points) {
    const auto nearest =
        std::min_element(centres.begin(), centres.end(), [&](const Point& a, const Point& b) {
          return square_distance(point, a) < square_distance(point, b);
        });
    k_means_sum& sum = sums[static_cast<std::size_t>(nearest - centres.begin())];
    sum = {sum.x + point.x, sum.y + point.y, sum.z + point.z, sum.count + 1};
  }
  for (std::size_t c = 0; c < centres.size(); ++c) {
    const auto mean = [&](double sum) {
      return static_cast<float>(sum / static_cast<double>(sums[c].count));
    };
    if (sums[c].count > 0) centres[c] = {mean(sums[c].x), mean(sums[c].y), mean(sums[c].z)};
  }
  return centres;
}

double extent(const std::vector<Point>& points) {
  double square = 0;
  for (const Point& point : points) {
    square = std::max(square, square_distance(point, points.front()));
  }
  return std::sqrt(square);
}

std::string verify(const std::vector<Point>& points, std::vector<Point> centres,
                   const k_means& result) {
  for (int i = 0; i < result.iterations; ++i) centres = iterate(points, centres);
  const double error_max = kErrorMax * extent(points);
  for (std::size_t c = 0; c < centres.size(); ++c) {
    const double error = std::sqrt(square_distance(centres[c], result.centres[c]));
    // Written so that a value that is not a number fails, too.
    if (!(error <= error_max)) return fmt::format("centre {} is off by {:.3g}", c, error);
  }
  return "";
}

bool same_bits(const k_means& a, const k_means& b) {
  return std::memcmp(a.centres, b.centres, a.cluster_count * sizeof(Point)) == 0;
}

struct Options {
  std::size_t size = 1'000'000;
  std::size_t tile_points = 1024;
  std::size_t part_count = 4;
  std::size_t branch_count = 0;
  std::size_t clusters = 16;
  std::int64_t iterations = 10;
  std::int64_t placing = 0;
  std::string points;
  std::string centres;
};

int run(const kernels::Program& program, const Options& options, const std::vector<Point>& points) {
  const std::size_t tile_points = options.tile_points;
  const k_means_shape shape{.branch_count = options.branch_count,
                            .part_count = options.part_count,
                            .tile_total = (points.size() + tile_points - 1) / tile_points,
                            .tile_points = tile_points,
                            .cluster_count = options.clusters,
                            .iterations = static_cast<int>(options.iterations)};
  program.require(shape.tile_total >= shape.part_count, "there are fewer tasks than --parts");
  k_means expected = k_means_new(shape);
  k_means result = k_means_new(shape);
  const std::vector<Point> start = first_centres(points, options.clusters);
  const int status = program.run({
      .prepare =
          [&] {
            fill(expected, points, start), fill(result, points, start);
            spread(result, options.placing);
          },
      .serial = [&] { k_means_serial(&expected); },
      .parallel = [&] { k_means_tasks(&result); },
      .same = [&] { return same_bits(result, expected); },
      .verify = [&] { return verify(points, start, result); },
  });
  if (!options.centres.empty()) {
    kernels::write_file(options.centres, [&](std::ostream& file) {
      kernels::put(file, result.centres, result.cluster_count);
    });
  }
  k_means_free(&expected);
  k_means_free(&result);
  return status;
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("k_means", "K-means clustering of points in space");
  Options options;
  program.option("size", options.size, {1, 1'000'000'000}, "points");
  program.option("task", options.tile_points, {1, 1'000'000'000}, "points in a task");
  program.option("parts", options.part_count, {1, 4096}, "regions, on which the coarse tasks work");
  program.option(
      "branches", options.branch_count, {0, 1024},
      "regions around parts, in the program with loops: main leaves their loops to tasks");
  program.option("clusters", options.clusters, {1, K_MEANS_CLUSTERS_MAX}, "clusters");
  program.option("steps", options.iterations, {1, 1'000'000}, "iterations");
  program.option("placing", options.placing, {0, 1'000'000'000},
                 "cycles of a task that places a tile, on a simulated machine");
  program.option("points", options.points, "take points from this file: x, y, z, 4 bytes each");
  program.option("centres", options.centres, "write the centres to this file, likewise");
  program.parse(argc, argv);

  const std::vector<Point> points = options.points.empty()
                                        ? random_clouds(options.size, options.clusters)
                                        : kernels::read_file<Point>(options.points);
  options.size = points.size();  // as reports list it
  program.require(options.size >= options.clusters, "there are more clusters than points");
  program.require(options.branch_count == 0 || options.part_count % options.branch_count == 0,
                  "--branches must divide --parts");
  return run(program, options, points);
}
