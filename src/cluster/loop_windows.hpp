// SPDX-License-Identifier: Apache-2.0
//
// What the windows of a loop that is spawned as a whole say of its parts, and the message in which
// it goes to schedulers.
#pragma once

#include <vector>

#include "base/thread_context.hpp"
#include "deps/region_tree.hpp"
#include "proto/messages.hpp"

namespace myr::cluster {

// Ends the program if an object of a window is none of its region: the code that orders loops
// believes the program.
void check_windows(const myr_loop& loop, const deps::RegionTree& regions, const myr_site* site);
// Is whatever an iteration writes used by that iteration alone? As far as windows tell without
// comparing all their objects: false may be wrong. Cost: sorting the objects that are written.
[[nodiscard]] bool has_independent_parts(const myr_loop& loop);
// Are the footprints of parts shorter than what windows say of the same?
[[nodiscard]] bool has_short_footprints(const base::WholeLoop& loop);
// The regions of the windows, each once.
[[nodiscard]] std::vector<myr_access> regions_of(const myr_loop& loop);
[[nodiscard]] proto::LoopPtr message_of(const base::WholeLoop& loop);

}  // namespace myr::cluster
