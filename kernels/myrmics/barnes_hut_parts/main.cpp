// SPDX-License-Identifier: Apache-2.0
//
// Barnes-Hut in parts: options, both versions, the checks, and the bodies for the picture. See
// README.md.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "chip/place_data.hpp"
#include "common/files.hpp"
#include "common/program.hpp"
#include "methods/bodies/check.hpp"
#include "myrmics/barnes_hut_parts/parted.hpp"

namespace {

using barnes_hut::Body;
using barnes_hut::Parted;
using barnes_hut::Particle;
using barnes_hut::Settings;
using barnes_hut::Vector;

constexpr std::int64_t kBodiesMin = 500;  // fewer would be too heavy for softening and time step

bool same(const Vector& a, const Vector& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool same_bits(const std::vector<Particle>& a, const std::vector<Particle>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const Particle& left, const Particle& right) {
        return same(left.body.position, right.body.position) &&
               same(left.body.velocity, right.body.velocity) &&
               same(left.acceleration, right.acceleration) && left.points == right.points;
      });
}

std::vector<Body> bodies_of(const std::vector<Particle>& particles) {
  std::vector<Body> bodies;
  for (const Particle& particle : particles) bodies.push_back(particle.body);
  return bodies;
}

// The mean relative error of about 200 bodies' last accelerations. These hold where the bodies were
// half a step before the end.
double attraction_error(const std::vector<Particle>& particles, const Settings& settings) {
  std::vector<Body> then = bodies_of(particles);
  for (Body& body : then) body.position = body.position - settings.time_step / 2 * body.velocity;
  double error = 0;
  double samples = 0;
  for (std::size_t i = 0; i < then.size(); i += then.size() / 200 + 1) {
    const Vector exact = barnes_hut::direct_attraction(then, then[i].position);
    error += length(particles[i].acceleration - exact) / length(exact);
    samples += 1;
  }
  return error / samples;
}

// With a region a level, tasks see only some levels of the other parts' trees. What they find must
// be what they would find in whole trees.
std::string check_levels(const Parted& result, const std::vector<Body>& start) {
  Parted::Shape shape = result.shape;
  shape.trees_by_level = false;
  Parted whole(result.settings, shape, start.size());
  whole.fill(start);
  barnes_hut_parts_serial(whole);
  return same_bits(result.particles(), whole.particles()) ? "" : "too few levels were read";
}

std::string verify(const Parted& result, const std::vector<Body>& start) {
  const std::vector<Particle> particles = result.particles();
  std::string fault = barnes_hut::check_attraction(attraction_error(particles, result.settings),
                                                   result.settings.opening);
  if (fault.empty()) fault = barnes_hut::check_energy(start, bodies_of(particles));
  if (fault.empty() && result.shape.trees_by_level) fault = check_levels(result, start);
  return fault;
}

void spread(const Parted& bodies) {
  std::vector<kernels::DataPlacement> placements;
  for (const barnes_hut::Group& group : bodies.groups) {
    placements.push_back({group.region, {}});
    for (barnes_hut::Portion* portion : portions_of(*group.node)) {
      placements.back().objects.push_back({portion});
    }
  }
  kernels::place_data(bodies.root.region, placements);
}

// Writes x, y and the index of the part for each body, 4 bytes each.
void write_bodies(std::ostream& file, const Parted& bodies) {
  float part = 0;
  for (barnes_hut::Portion* portion : portions_of(*bodies.root.node)) {
    for (const Particle& particle : portion->particles()) {
      const Vector& at = particle.body.position;
      const float numbers[] = {static_cast<float>(at.x), static_cast<float>(at.y), part};
      kernels::put(file, numbers, std::size(numbers));
    }
    part += 1;
  }
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("barnes_hut_parts",
                           "Barnes-Hut simulation, parted by recursive bisection");
  Settings settings{.steps = 4};
  std::int64_t body_count = 20000;
  std::int64_t part_bodies = 625;
  std::size_t group_count = 4;
  std::size_t part_count = 0;
  std::string trees = "part";
  std::string snapshot;
  program.option("size", body_count, {kBodiesMin, 10'000'000}, "bodies");
  program.option("task", part_bodies, {1, 10'000'000},
                 "bodies in a part, at least; each group has as many parts");
  program.option("groups", group_count, {1, 1024},
                 "groups of parts, on which the coarse tasks work");
  program.option("steps", settings.steps, {1, 1'000'000}, "steps in time");
  program.option("opening", settings.opening, {0, 1},
                 "largest width / distance of a cell used whole");
  program.choice("trees", trees, {"part", "level"}, "what has a region: a part's tree or a level");
  program.option("snapshot", snapshot, "write the bodies' places and parts to this file");
  program.report("parts", part_count);
  program.parse(argc, argv);
  part_count = static_cast<std::size_t>(body_count / part_bodies) / group_count * group_count;
  program.require(part_count != 0, "there are fewer parts than --groups");

  const std::vector<Body> start = barnes_hut::two_galaxies(body_count);
  const Parted::Shape shape{
      .part_count = part_count, .group_count = group_count, .trees_by_level = trees == "level"};
  Parted expected(settings, shape, start.size());
  Parted result(settings, shape, start.size());
  const int status = program.run({
      .prepare =
          [&] {
            expected.fill(start), result.fill(start);
            spread(result);
          },
      .serial = [&] { barnes_hut_parts_serial(expected); },
      .parallel = [&] { barnes_hut_parts_tasks(result); },
      .same = [&] { return same_bits(result.particles(), expected.particles()); },
      .verify = [&] { return verify(result, start); },
  });
  if (!snapshot.empty()) {
    kernels::write_file(snapshot, [&](std::ostream& file) { write_bodies(file, result); });
  }
  return status;
}
