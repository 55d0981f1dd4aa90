// SPDX-License-Identifier: Apache-2.0
//
// Cancellation of regions, loops, sections and groups of tasks.
#include "omp/team.hpp"

namespace myr::omp {

bool is_cancelled(Thread& self, std::uint32_t kind) {
  if (!settings.cancellation) return false;
  const Workshare* share = self.at.loop.share;
  const bool in_share = share != nullptr && share->cancelled.load(sync::relaxed) != 0;
  if ((kind & (kLoop | kSections)) != 0) return in_share || self.at.team->is_cancelled();
  if ((kind & kTaskgroup) != 0) {
    for (const Group* group = self.at.task->group; group != nullptr; group = group->outer) {
      if (group->cancelled.load(sync::relaxed) != 0) return true;
      if (!group->is_workshare) break;
    }
  }
  return self.at.team->is_cancelled();
}

bool cancel(Thread& self, std::uint32_t kind) {
  if (!settings.cancellation) return false;
  if ((kind & (kLoop | kSections)) != 0) {
    if (self.at.loop.share != nullptr) self.at.loop.share->cancelled.store(1, sync::relaxed);
  } else if ((kind & kTaskgroup) != 0) {
    Group* group = self.at.task->group;
    if (group != nullptr && group->is_workshare && group->outer != nullptr) group = group->outer;
    if (group != nullptr) group->cancelled.store(1, sync::relaxed);
  } else {
    cancel_region(*self.at.team);
  }
  return true;
}

}  // namespace myr::omp
