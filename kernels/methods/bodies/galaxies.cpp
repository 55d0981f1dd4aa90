// SPDX-License-Identifier: Apache-2.0
//
// The input: two disk galaxies that are about to meet. A galaxy is a Plummer sphere of stars in
// all directions (the halo, most of the mass) and a thin disk of exponentially falling density in
// rotation.
#include <numbers>

#include "common/random.hpp"
#include "methods/bodies/body.hpp"

namespace barnes_hut {
namespace {

using kernels::Random;

constexpr double kDiskShare = 0.2;   // of a galaxy's mass; its bodies are half of all
constexpr double kDistance = 8;      // of the galaxies at the start
constexpr double kPericentre = 1.6;  // their least distance, if they were points

struct Galaxy {
  double mass;
  double scale;  // length of the disk and of the halo
  double tilt;   // of the disk against the plane of the orbit
  Vector position;
  Vector velocity;
};

// A vector of the given length in a random direction.
Vector any_direction(Random& random, double size) {
  const double height = 2 * random.uniform() - 1;
  const double angle = 2 * std::numbers::pi * random.uniform();
  const double across = std::sqrt(1 - height * height);
  return size * Vector{across * std::cos(angle), across * std::sin(angle), height};
}

// A body of a Plummer sphere in equilibrium (Aarseth, Henon and Wielen 1974).
Body halo_body(Random& random, const Galaxy& galaxy) {
  double radius = 0;
  do {
    radius = 1 / std::sqrt(std::pow(random.uniform() + 1e-9, -2.0 / 3) - 1);
  } while (radius > 6);
  double speed = 0;  // as a share of the escape velocity
  double density = 0;
  do {
    speed = random.uniform();
    density = speed * speed * std::pow(1 - speed * speed, 3.5);
  } while (0.1 * random.uniform() > density);
  const double escape =
      std::sqrt(2 * galaxy.mass / galaxy.scale) * std::pow(1 + radius * radius, -0.25);
  return {.position = any_direction(random, radius * galaxy.scale),
          .velocity = any_direction(random, speed * escape)};
}

// The speed of a circle of radius `radius` (in scale lengths) around the galaxy's centre.
double circular_speed(double radius, const Galaxy& galaxy) {
  const double square = radius * radius;
  const double halo = (1 - kDiskShare) * square / std::pow(1 + square, 1.5);
  const double disk = kDiskShare * (1 - (1 + radius) * std::exp(-radius)) / radius;
  return std::sqrt(galaxy.mass / galaxy.scale * (halo + disk));
}

Vector tilted(const Vector& v, double tilt) {
  return {v.x, v.y * std::cos(tilt) - v.z * std::sin(tilt),
          v.y * std::sin(tilt) + v.z * std::cos(tilt)};
}

Body disk_body(Random& random, const Galaxy& galaxy) {
  double radius = 0;
  do {
    radius = -std::log((random.uniform() + 1e-9) * (random.uniform() + 1e-9));
  } while (radius > 4);
  const double angle = 2 * std::numbers::pi * random.uniform();
  const double height = 0.1 * (random.uniform() + random.uniform() - 1);
  const double speed = circular_speed(radius, galaxy);
  const Vector place{radius * std::cos(angle), radius * std::sin(angle), height};
  const Vector along{-std::sin(angle), std::cos(angle), 0};
  return {.position = tilted(galaxy.scale * place, galaxy.tilt),
          .velocity = tilted(speed * along, galaxy.tilt) + any_direction(random, 0.05 * speed)};
}

struct Families {
  Family halo;
  Family disk;
};

void add_galaxy(std::vector<Body>& bodies, std::int64_t count, const Galaxy& galaxy,
                Families families) {
  Random random(static_cast<std::uint64_t>(families.halo) + 1);
  const std::int64_t disk_count = count / 2;
  const std::int64_t halo_count = count - disk_count;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool in_disk = i < disk_count;
    Body body = in_disk ? disk_body(random, galaxy) : halo_body(random, galaxy);
    const double share = in_disk ? kDiskShare / static_cast<double>(disk_count)
                                 : (1 - kDiskShare) / static_cast<double>(halo_count);
    body.mass = share * galaxy.mass;
    body.family = in_disk ? families.disk : families.halo;
    body.position = body.position + galaxy.position;
    body.velocity = body.velocity + galaxy.velocity;
    bodies.push_back(body);
  }
}

}  // namespace

std::vector<Body> two_galaxies(std::int64_t count) {
  constexpr double kBigMass = 1;
  constexpr double kSmallMass = 0.5;
  constexpr double kMass = kBigMass + kSmallMass;
  // Kepler's parabola, before the pericentre.
  const double cosine = 2 * kPericentre / kDistance - 1;
  const double sine = -std::sqrt(1 - cosine * cosine);
  const Vector apart = kDistance * Vector{cosine, sine, 0};
  const Vector approach = std::sqrt(kMass / (2 * kPericentre)) * Vector{-sine, 1 + cosine, 0};

  std::vector<Body> bodies;
  bodies.reserve(static_cast<std::size_t>(count));
  const std::int64_t big_count = count - count / 3;
  add_galaxy(bodies, big_count,
             {.mass = kBigMass,
              .scale = 1,
              .tilt = 0.3,
              .position = -kSmallMass / kMass * apart,
              .velocity = -kSmallMass / kMass * approach},
             {Family::BigHalo, Family::BigDisk});
  add_galaxy(bodies, count - big_count,
             {.mass = kSmallMass,
              .scale = 0.7,
              .tilt = -0.8,
              .position = kBigMass / kMass * apart,
              .velocity = kBigMass / kMass * approach},
             {Family::SmallHalo, Family::SmallDisk});
  return bodies;
}

}  // namespace barnes_hut
