// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: tasks of cancelled regions.
#include "base/refusal.hpp"
#include "engine/engine.hpp"
#include "engine/worker.hpp"
#include "graph/resolve.hpp"
#include "sync/cancelled_regions.hpp"

namespace myr::engine {

void Worker::cancel_region(myr_region region, const myr_site* site) {
  if (find_region(region, "myr_region_cancel", site) == deps::kRootRegion) {
    base::refuse(site,
                 "myr_region_cancel: region 0 is the root; all that there is cannot be "
                 "cancelled");
  }
  if (Checker* const checker = engine_.options().checker) checker->cancelled(site);
  sync::CancelledRegions::add(region);
  // A thread that frees it at the same time may not have found it there.
  if (!space().tree().is_live(region)) sync::CancelledRegions::remove(region);
}

bool Worker::is_cancelled() { return sync::CancelledRegions::has_some() && is_cancelled(*task_); }

// Does it use something in a cancelled region? The objects that it uses, and the regions around
// them, are there until it has ended. But where they are not known, a look may find what was there
// before; only the id of a region that it names is sure, as ids do not come again.
bool Worker::is_cancelled(graph::Task& task) {
  const deps::RegionTree& tree = space().tree();
  const bool is_known = (task.flags & graph::kSpread) == 0 || outside_->knows_objects();
  myr_access* const first = task.accesses();
  for (myr_access* access = first; access != first + task.access_count; ++access) {
    const bool is_region = (access->flags & (MYR_REGION | MYR_VALUE)) == MYR_REGION;
    if (is_region && sync::CancelledRegions::contains(access->region)) return true;
    if (!is_known) continue;
    graph::Target target;
    if (graph::resolve(space(), *access, target) != graph::ResolveError::None) continue;
    if (target.kind == graph::TargetKind::None || target.region == deps::kNoRegion) continue;
    for (deps::RegionIndex at = target.region; at != deps::kRootRegion; at = tree.parent(at)) {
      if (sync::CancelledRegions::contains(tree.id_of(at))) return true;
    }
  }
  return false;
}

// In the place of the body. What the closure holds is let go of. One that events have held open has
// run.
void Worker::drop_body(graph::Task& task) {
  if (task.interior != nullptr && task.interior->held != nullptr) return;
  task.set(graph::kDropped);
  if ((task.flags & graph::kPlainFunction) == 0) task.body(task.closure(), MYR_CANCELLED);
}

}  // namespace myr::engine
