// SPDX-License-Identifier: Apache-2.0
//
// A second opinion on a track, from the definition of hue and saturation.
#pragma once

#include <string>
#include <vector>

#include "hwse/colour_tracking/colour_tracking.h"
#include "hwse/colour_tracking/video.hpp"

namespace tracking {

// Returns what is wrong with the track, or nothing.
[[nodiscard]] std::string check_track(const Video& video, const tracking_range& range,
                                      const std::vector<tracking_sums>& track);

}  // namespace tracking
