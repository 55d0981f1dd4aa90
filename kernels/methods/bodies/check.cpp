// SPDX-License-Identifier: Apache-2.0
//
// The checks of the simulations; see check.hpp.
#include "methods/bodies/check.hpp"

#include <fmt/format.h>

#include <cmath>

namespace barnes_hut {
namespace {

// The mean error of a tree's attraction falls with the square of the opening.
constexpr double kAttractionErrorMax = 0.05;
constexpr double kRoundingErrorMax = 1e-12;
constexpr double kEnergyErrorMax = 0.01;  // as a share of the kinetic energy at the start

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
      const double square = dot(offset, offset) + kSoftening * kSoftening;
      energy.potential -= a.mass * bodies[k].mass / std::sqrt(square);
    }
  }
  return energy;
}

}  // namespace

Vector direct_attraction(const std::vector<Body>& bodies, const Vector& place) {
  Vector sum;
  for (const Body& body : bodies) {
    const Vector offset = body.position - place;
    const double square = dot(offset, offset) + kSoftening * kSoftening;
    sum = sum + body.mass * std::pow(square, -1.5) * offset;
  }
  return sum;
}

// Written so that values that are not numbers fail, too.
std::string check_attraction(double mean_error, double opening) {
  if (mean_error <= kAttractionErrorMax * opening * opening + kRoundingErrorMax) return "";
  return fmt::format("attraction is off by {:.3g} in the mean", mean_error);
}

std::string check_energy(const std::vector<Body>& start, const std::vector<Body>& end) {
  const Energy before = energy_of(start);
  const Energy after = energy_of(end);
  const double gain = after.kinetic + after.potential - before.kinetic - before.potential;
  if (std::abs(gain) <= kEnergyErrorMax * before.kinetic) return "";
  return fmt::format("energy grew by {:.3g} of {:.3g}", gain, before.kinetic);
}

}  // namespace barnes_hut
