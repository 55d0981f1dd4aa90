// SPDX-License-Identifier: Apache-2.0
//
// LoopTask: the closure of the UserTask that is a whole loop. Schedulers make tasks of its parts;
// what they run with is made here, by the worker that begins a part.
#pragma once

#include <cstddef>

#include "base/thread_context.hpp"
#include "cluster/user_task.hpp"
#include "deps/region_tree.hpp"
#include "proto/messages.hpp"
#include "sync/atomic.hpp"

namespace myr::cluster {

struct LoopTask {
  base::WholeLoop loop;
  sync::Atomic<std::size_t> parts_left;  // that have not begun

  // Ends the program if an object of a window is none of its region: what orders loops takes the
  // program's word for it.
  static void check_windows(const myr_loop& loop, const deps::RegionTree& regions,
                            const myr_site* site);
  // Is whatever an iteration writes used by that iteration alone? As far as windows tell without
  // comparing all their objects: false may be wrong. Cost: sorting the objects that are written.
  [[nodiscard]] static bool has_independent_parts(const myr_loop& loop);
  // Are the footprints of parts shorter than what windows say of the same?
  [[nodiscard]] static bool has_short_footprints(const base::WholeLoop& loop);
  // The regions of the windows, each once.
  [[nodiscard]] static std::vector<myr_access> regions_of(const myr_loop& loop);
  [[nodiscard]] static proto::LoopPtr message_of(const base::WholeLoop& loop);
};

// The task with these iterations of the loop that `whole` is. The last one lets go of `whole`.
[[nodiscard]] UserTaskPtr make_part(UserTask& whole, const proto::Work& work);

}  // namespace myr::cluster
