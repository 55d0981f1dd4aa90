// SPDX-License-Identifier: Apache-2.0
//
// The leapfrog; see motion.hpp.
#include "methods/bodies/motion.hpp"

#include "chip/costs.h"
#include "chip/work.h"

namespace barnes_hut {

void drift(std::span<Body> bodies, double time_step) {
  for (Body& body : bodies) body.position = body.position + time_step / 2 * body.velocity;
  kernel_work(bodies.size() * COST_DRIFT);
}

void kick_and_drift(std::span<Body> bodies, const Cell& root, const Settings& settings) {
  for (Body& body : bodies) {
    const Vector acceleration =
        attraction(root, body.position, {.opening = settings.opening}).acceleration;
    body.velocity = body.velocity + settings.time_step * acceleration;
  }
  drift(bodies, settings.time_step);
}

}  // namespace barnes_hut
