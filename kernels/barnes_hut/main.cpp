// SPDX-License-Identifier: Apache-2.0
//
// The Barnes-Hut kernel: options, both versions, the checks, and snapshots for the picture. See
// README.md.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <string>
#include <vector>

#include "barnes_hut/body.hpp"
#include "barnes_hut/octree.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"

namespace {

using barnes_hut::Body;
using barnes_hut::Point;
using barnes_hut::Settings;
using barnes_hut::Vector;

constexpr std::int64_t kSnapshotCount = 6;
// The mean error of the tree's attraction, against direct summation, falls with the square of the
// opening.
constexpr double kAttractionErrorMax = 0.05;
constexpr double kRoundingErrorMax = 1e-12;
constexpr double kEnergyErrorMax = 0.01;  // as a share of the kinetic energy at the start
constexpr std::int64_t kBodiesMin = 500;  // fewer would be too heavy for softening and time step

struct Options {
  std::int64_t bodies = 20000;
  std::int64_t chunk = 250;
  Settings settings;
  std::string snapshots;
};

// Kinetic and potential energy, by direct summation.
struct Energy {
  double kinetic = 0;
  double potential = 0;
};

Energy energy_of(const std::vector<Body>& bodies) {
  Energy energy;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& a = bodies[i];
    energy.kinetic += a.mass / 2 * dot(a.velocity, a.velocity);
    for (std::size_t k = 0; k < i; ++k) {
      const Vector offset = bodies[k].position - a.position;
      const double square = dot(offset, offset) + barnes_hut::kSoftening * barnes_hut::kSoftening;
      energy.potential -= a.mass * bodies[k].mass / std::sqrt(square);
    }
  }
  return energy;
}

Vector direct_attraction(const std::vector<Body>& bodies, const Vector& place) {
  Vector sum;
  for (const Body& body : bodies) {
    const Vector offset = body.position - place;
    const double square = dot(offset, offset) + barnes_hut::kSoftening * barnes_hut::kSoftening;
    sum = sum + body.mass * std::pow(square, -1.5) * offset;
  }
  return sum;
}

// The tree's mean relative error, at the places of about 200 bodies.
double attraction_error(const std::vector<Body>& bodies, double opening) {
  std::vector<Point> points;
  for (const Body& body : bodies) points.push_back({body.position, body.mass});
  std::vector<Point> scratch;
  std::deque<barnes_hut::Cell> cells(1);
  build(cells.front(), barnes_hut::surround(points), scratch,
        [&] { return &cells.emplace_back(); });
  const std::size_t stride = bodies.size() / 200 + 1;
  double error = 0;
  double samples = 0;
  for (std::size_t i = 0; i < bodies.size(); i += stride) {
    const Vector& place = bodies[i].position;
    const Vector exact = direct_attraction(bodies, place);
    error += length(attraction(cells.front(), place, opening) - exact) / length(exact);
    samples += 1;
  }
  return error / samples;
}

std::string verify(const std::vector<Body>& start, const std::vector<Body>& end, double opening) {
  const double mean_error = attraction_error(end, opening);
  // Written so that a value that is not a number fails, too.
  if (!(mean_error <= kAttractionErrorMax * opening * opening + kRoundingErrorMax)) {
    return fmt::format("attraction is off by {:.3g} in the mean", mean_error);
  }
  const Energy before = energy_of(start);
  const Energy after = energy_of(end);
  const double gain = after.kinetic + after.potential - before.kinetic - before.potential;
  if (!(std::abs(gain) <= kEnergyErrorMax * before.kinetic)) {
    return fmt::format("energy grew by {:.3g} of {:.3g}", gain, before.kinetic);
  }
  return "";
}

bool same_bits(const std::vector<Body>& a, const std::vector<Body>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Body)) == 0;
}

// Writes 4-byte numbers: the count of bodies and of snapshots, the family of each body, then the
// position of each body (x, y, z) for each snapshot.
int write_snapshots(const Options& options) {
  std::ofstream file(options.snapshots, std::ios::binary);
  const auto write = [&file](auto value) {
    static_assert(sizeof value == 4);
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::vector<Body> bodies = barnes_hut::two_galaxies(options.bodies);
  write(static_cast<std::int32_t>(bodies.size()));
  write(static_cast<std::int32_t>(kSnapshotCount));
  for (const Body& body : bodies) write(static_cast<std::int32_t>(body.family));
  kernels::Progress progress("barnes_hut: snapshot", kSnapshotCount - 1);
  for (std::int64_t i = 0; i < kSnapshotCount; ++i) {
    if (i > 0) {
      run_tasks(bodies, options.settings, static_cast<std::size_t>(options.chunk));
      progress.advance();
    }
    for (const Body& body : bodies) {
      write(static_cast<float>(body.position.x));
      write(static_cast<float>(body.position.y));
      write(static_cast<float>(body.position.z));
    }
  }
  file.close();
  if (file.good()) return 0;
  fmt::print(stderr, "cannot write {}\n", options.snapshots);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  kernels::Program program("barnes_hut", "Barnes-Hut simulation of two colliding galaxies");
  Options options;
  Settings& settings = options.settings;
  program.option("size", options.bodies, {kBodiesMin, 10'000'000}, "bodies");
  program.option("task", options.chunk, {1, 10'000'000}, "bodies in a task");
  program.option("steps", settings.steps, {0, 1'000'000}, "steps in time");
  program.option("opening", settings.opening, {0, 1},
                 "largest width / distance of a cell used whole");
  program.option("snapshots", options.snapshots, "do not measure; write positions to this file");
  program.parse(argc, argv);
  if (!options.snapshots.empty()) return write_snapshots(options);

  const std::vector<Body> start = barnes_hut::two_galaxies(options.bodies);
  std::vector<Body> expected;
  std::vector<Body> result;
  return program.run({
      .prepare = [&] { expected = result = start; },
      .serial = [&] { run_serial(expected, settings); },
      .parallel =
          [&] { return run_tasks(result, settings, static_cast<std::size_t>(options.chunk)); },
      .same = [&] { return same_bits(result, expected); },
      .verify = [&] { return verify(start, result, settings.opening); },
  });
}
