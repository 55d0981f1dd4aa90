// SPDX-License-Identifier: Apache-2.0
//
// The steps once more, without integral images and without bands: the levels by interpolation in
// floating point, windows by adding up pixels.
#pragma once

#include <string>

#include "common/photo.hpp"
#include "viola_jones/cascade.hpp"
#include "viola_jones/viola_jones.h"

namespace faces {

// What is wrong with the results in `program`, or nothing. Judges all windows that passed, and all
// windows in some rows.
[[nodiscard]] std::string verify(const viola_jones& program, const kernels::Photo& photo,
                                 const Cascade& cascade);

}  // namespace faces
