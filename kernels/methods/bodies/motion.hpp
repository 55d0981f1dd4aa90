// SPDX-License-Identifier: Apache-2.0
//
// One step in time for some bodies: the leapfrog, which moves half a step, takes the attraction
// there to change the velocity by a whole step, and moves the other half.
#pragma once

#include <span>

#include "methods/bodies/body.hpp"
#include "methods/bodies/octree.hpp"

namespace barnes_hut {

// The first half of a step.
void drift(std::span<Body> bodies, double time_step);
// The rest of a step; `root` is the tree of all bodies after the first half.
void kick_and_drift(std::span<Body> bodies, const Cell& root, const Settings& settings);

}  // namespace barnes_hut
