// SPDX-License-Identifier: Apache-2.0
//
// The steps once more, in the plainest way: the levels by interpolation in floating point, all
// windows by integral images made anew from their pixels.
#pragma once

#include <string>

#include "common/photo.hpp"
#include "hwse/viola_jones/cascade.hpp"
#include "hwse/viola_jones/viola_jones.h"

namespace faces {

// What is wrong with the results in `program`, or nothing.
[[nodiscard]] std::string verify(const viola_jones& program, const kernels::Photo& photo,
                                 const Cascade& cascade);

}  // namespace faces
