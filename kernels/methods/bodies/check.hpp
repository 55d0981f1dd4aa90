// SPDX-License-Identifier: Apache-2.0
//
// What every right simulation fulfils, found without trees. Each check returns what is wrong, or
// nothing. Threads: any.
#pragma once

#include <string>
#include <vector>

#include "methods/bodies/body.hpp"

namespace barnes_hut {

// The acceleration that the bodies cause at a place, body by body.
[[nodiscard]] Vector direct_attraction(const std::vector<Body>& bodies, const Vector& place);

// `mean_error`: of attractions found by trees, relative to direct_attraction().
[[nodiscard]] std::string check_attraction(double mean_error, double opening);

// Energy must neither grow nor shrink.
[[nodiscard]] std::string check_energy(const std::vector<Body>& start,
                                       const std::vector<Body>& end);

}  // namespace barnes_hut
