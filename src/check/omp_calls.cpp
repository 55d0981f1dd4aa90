// SPDX-License-Identifier: Apache-2.0
//
// The calls of omp.h that ask the runtime or change it, for C and C++. What is missing here gets an
// answer from the program's own OpenMP library, which has no threads.
#include <omp.h>

#include <algorithm>

#include "check/next_call.hpp"
#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

using namespace myr::check;
using namespace myr::check::omp;

namespace {

// The number of the thread in the team of a level, and that team.
struct Place {
  const Team* team;
  unsigned index;
};
Place place_at(int level) {
  Place place{task().team, task().index};
  if (level < 0 || static_cast<unsigned>(level) > place.team->level) return {nullptr, 0};
  while (place.team->level != static_cast<unsigned>(level)) {
    place = {place.team->outer, place.team->outer_index};
  }
  return place;
}

}  // namespace

// From now on what the thread touches may depend on which one it is.
CALL int omp_get_thread_num() {
  const Inside inside;
  races().part(task().runner.part).knows_thread = true;
  return static_cast<int>(task().index);
}
CALL int omp_get_num_threads() { return static_cast<int>(task().team->size); }
CALL int omp_get_max_threads() { return static_cast<int>(task().settings.thread_count); }
CALL void omp_set_num_threads(int count) {
  task().settings.thread_count = static_cast<unsigned>(std::max(count, 1));
}
CALL int omp_in_parallel() { return task().team->active_level > 0 ? 1 : 0; }
CALL int omp_get_level() { return static_cast<int>(task().team->level); }
CALL int omp_get_active_level() { return static_cast<int>(task().team->active_level); }
CALL int omp_get_ancestor_thread_num(int level) {
  const Place place = place_at(level);
  return place.team == nullptr ? -1 : static_cast<int>(place.index);
}
CALL int omp_get_team_size(int level) {
  const Place place = place_at(level);
  return place.team == nullptr ? -1 : static_cast<int>(place.team->size);
}
CALL int omp_get_max_active_levels() { return static_cast<int>(task().settings.levels_max); }
CALL void omp_set_max_active_levels(int levels) {
  if (levels >= 0) task().settings.levels_max = static_cast<unsigned>(levels);
}
CALL int omp_get_nested() { return task().settings.levels_max > 1 ? 1 : 0; }
CALL void omp_set_nested(int is_nested) { task().settings.levels_max = is_nested != 0 ? 255 : 1; }
CALL int omp_get_dynamic() { return task().settings.is_dynamic ? 1 : 0; }
CALL void omp_set_dynamic(int is_dynamic) { task().settings.is_dynamic = is_dynamic != 0; }
CALL void omp_set_schedule(omp_sched_t kind, int chunk) {
  task().settings.schedule = static_cast<int>(kind);
  task().settings.schedule_chunk = chunk;
}
CALL void omp_get_schedule(omp_sched_t* kind, int* chunk) {
  *kind = static_cast<omp_sched_t>(task().settings.schedule);
  *chunk = task().settings.schedule_chunk;
}
CALL int omp_in_final() { return task().is_final ? 1 : 0; }
CALL void omp_fulfill_event(omp_event_handle_t event) {
  const Inside inside;
  fulfill(static_cast<std::uintptr_t>(event));
}
CALL int omp_get_num_teams() { return league_size(); }
CALL int omp_get_team_num() { return league_index(); }
CALL int omp_get_num_devices() { return 0; }
CALL int omp_is_initial_device() { return 1; }
CALL int omp_get_cancellation() { return can_cancel() ? 1 : 0; }

// ---- locks

CALL void omp_init_lock(omp_lock_t*) {}
CALL void omp_init_lock_with_hint(omp_lock_t*, omp_sync_hint_t) {}
CALL void omp_destroy_lock(omp_lock_t*) {}
CALL void omp_set_lock(omp_lock_t* lock) {
  start();
  const Inside inside;
  acquire(address_of(lock));
}
CALL void omp_unset_lock(omp_lock_t* lock) {
  const Inside inside;
  release(address_of(lock));
  let_others_run();  // it may be the way in which they take turns
}
CALL int omp_test_lock(omp_lock_t* lock) {
  start();
  const Inside inside;
  return try_to_acquire(address_of(lock)) ? 1 : 0;
}

// A task may take one again that it has.
CALL void omp_init_nest_lock(omp_nest_lock_t*) {}
CALL void omp_init_nest_lock_with_hint(omp_nest_lock_t*, omp_sync_hint_t) {}
CALL void omp_destroy_nest_lock(omp_nest_lock_t*) {}
CALL void omp_set_nest_lock(omp_nest_lock_t* lock) {
  start();
  const Inside inside;
  acquire_nested(address_of(lock));
}
CALL void omp_unset_nest_lock(omp_nest_lock_t* lock) {
  const Inside inside;
  release_nested(address_of(lock));
}
CALL int omp_test_nest_lock(omp_nest_lock_t* lock) {
  start();
  const Inside inside;
  return static_cast<int>(try_to_acquire_nested(address_of(lock)));
}
