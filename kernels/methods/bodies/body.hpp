// SPDX-License-Identifier: Apache-2.0
//
// The bodies of the simulation. Units: the gravitational constant is 1, as are the mass and the
// disk's scale length of the larger galaxy.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace barnes_hut {

struct Vector {
  double x = 0;
  double y = 0;
  double z = 0;

  friend Vector operator+(const Vector& a, const Vector& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Vector operator-(const Vector& a, const Vector& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend Vector operator*(double f, const Vector& a) { return {f * a.x, f * a.y, f * a.z}; }
};
[[nodiscard]] inline double dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[nodiscard]] inline double length(const Vector& a) { return std::sqrt(dot(a, a)); }

// Where a body comes from: the picture colours it by this.
enum class Family : std::int64_t { BigHalo, BigDisk, SmallHalo, SmallDisk };

struct Body {
  Vector position;
  Vector velocity;
  double mass = 0;
  Family family = Family::BigHalo;
};

// What gravity needs to know of a body, or of many bodies far away.
struct Point {
  Vector position;
  double mass = 0;
};

// Bodies closer than this attract each other less than points would.
inline constexpr double kSoftening = 0.08;

struct Settings {
  std::int64_t steps = 10;
  double time_step = 0.05;
  double opening = 0.6;  // a cell farther away than its width / opening counts as one point
};

// Two galaxies on a parabolic orbit towards each other; the same bodies on every call.
[[nodiscard]] std::vector<Body> two_galaxies(std::int64_t count);

// The plain program: moves the bodies.
void run_serial(std::vector<Body>& bodies, const Settings& settings);
// The same as tasks: one for each `chunk_size` bodies and for each subtree of so many.
void run_tasks(std::vector<Body>& bodies, const Settings& settings, std::size_t chunk_size);

}  // namespace barnes_hut
