// SPDX-License-Identifier: Apache-2.0
//
// The Barnes-Hut kernel: options, both versions, the checks, and snapshots for the picture. See
// README.md.
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "common/files.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "methods/bodies/body.hpp"
#include "methods/bodies/check.hpp"
#include "methods/bodies/octree.hpp"

namespace {

using barnes_hut::Body;
using barnes_hut::Point;
using barnes_hut::Settings;
using barnes_hut::Vector;

constexpr std::int64_t kSnapshotCount = 6;
constexpr std::int64_t kBodiesMin = 500;  // fewer would be too heavy for softening and time step

struct Options {
  std::int64_t bodies = 20000;
  std::size_t chunk = 250;
  Settings settings;
  std::string snapshots;
};

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
    const Vector exact = barnes_hut::direct_attraction(bodies, place);
    error += length(attraction(cells.front(), place, {.opening = opening}).acceleration - exact) /
             length(exact);
    samples += 1;
  }
  return error / samples;
}

std::string verify(const std::vector<Body>& start, const std::vector<Body>& end, double opening) {
  const std::string fault = barnes_hut::check_attraction(attraction_error(end, opening), opening);
  return fault.empty() ? barnes_hut::check_energy(start, end) : fault;
}

bool same_bits(const std::vector<Body>& a, const std::vector<Body>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Body)) == 0;
}

// Writes 4-byte numbers: the count of bodies and of snapshots, the family of each body, then the
// position of each body (x, y, z) for each snapshot.
void write_snapshots(std::ostream& file, const Options& options) {
  const auto write = [&file](auto value) {
    static_assert(sizeof value == 4);
    kernels::put(file, &value);
  };
  std::vector<Body> bodies = barnes_hut::two_galaxies(options.bodies);
  write(static_cast<std::int32_t>(bodies.size()));
  write(static_cast<std::int32_t>(kSnapshotCount));
  for (const Body& body : bodies) write(static_cast<std::int32_t>(body.family));
  kernels::Progress progress("barnes_hut: snapshot", kSnapshotCount - 1);
  for (std::int64_t i = 0; i < kSnapshotCount; ++i) {
    if (i > 0) {
      run_tasks(bodies, options.settings, options.chunk);
      progress.advance();
    }
    for (const Body& body : bodies) {
      write(static_cast<float>(body.position.x));
      write(static_cast<float>(body.position.y));
      write(static_cast<float>(body.position.z));
    }
  }
}

}  // namespace

int kernel_main(int argc, char** argv) {
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
  if (!options.snapshots.empty()) {
    kernels::write_file(options.snapshots,
                        [&](std::ostream& file) { write_snapshots(file, options); });
    return 0;
  }

  const std::vector<Body> start = barnes_hut::two_galaxies(options.bodies);
  std::vector<Body> expected;
  std::vector<Body> result;
  return program.run({
      .prepare = [&] { expected = result = start; },
      .serial = [&] { run_serial(expected, settings); },
      .parallel = [&] { run_tasks(result, settings, options.chunk); },
      .same = [&] { return same_bits(result, expected); },
      .verify = [&] { return verify(start, result, settings.opening); },
  });
}
