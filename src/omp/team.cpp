// SPDX-License-Identifier: Apache-2.0
//
// Regions: teams are made, workers start, meet and end their parts. See docs/design/omp.md.
#include "omp/team.hpp"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/sanitizers.hpp"
#include "omp/places.hpp"
#include "omp/threads.hpp"
#include "omp/wait_until.hpp"

namespace myr::omp {

namespace {

constexpr std::uint32_t kMasterSleeps = 1;
constexpr std::uint32_t kHelper = 2;

void begin_implicit(Team& team, unsigned index, const Icv* icv, Group* group) {
  Task& task = team.slots[index].implicit;
  task.flags = 0;
  task.depth = 0;
  task.parent = nullptr;
  task.jump = &task;
  task.icv = icv;
  task.group = group;
  task.team = &team;
  task.depends = nullptr;
  task.spawned = 0;
  task.balance.store(0, sync::relaxed);
}

void enter_team(Thread& self, Team& team, unsigned index) {
  self.at.team = &team;
  self.at.index = index;
  self.at.singles = 0;
  self.at.workshares = 0;
  self.at.barriers = 0;
  self.at.task = &team.slots[index].implicit;
  self.at.tied = nullptr;
  self.at.doacross = nullptr;
  self.at.loop = {};
  self.at.observed = {};
  if (team.has_loop) {
    self.at.workshares = 1;
    self.at.loop.share = &team.ring[0];
    self.at.loop.may_batch = team.ring[0].may_batch;
    self.at.loop.section_count = team.ring[0].section_count;
  }
}

Team* new_team(unsigned capacity) {
  void* memory = std::aligned_alloc(alignof(Team), sizeof(Team));
  void* slots = std::aligned_alloc(alignof(Slot), capacity * sizeof(Slot));
  if (memory == nullptr || slots == nullptr) fail("Out of memory for a team of %u", capacity);
  auto* team = new (memory) Team;
  team->capacity = capacity;
  team->slots = static_cast<Slot*>(slots);
  for (unsigned i = 0; i < capacity; ++i) new (&team->slots[i]) Slot;
  clear_workshares(*team, Team::kRing);
  return team;
}

Team& take_team(Thread& self, unsigned size) {
  for (Team** at = &self.spare_teams; *at != nullptr; at = &(*at)->next_spare) {
    if ((*at)->capacity < size) continue;
    return *std::exchange(*at, (*at)->next_spare);
  }
  return *new_team(size);
}

const Icv* icv_of_region(const Team& team, const Icv* icv) {
  const std::size_t level = team.level;
  const bool counts = level < settings.thread_count_levels;
  const bool binds = level < settings.bind_levels;
  const bool clause = team.bind != 0 && icv->bind != 0;
  if (MYR_LIKELY(!counts && !binds && !clause)) return icv;
  Icv values = *icv;
  if (counts) values.thread_count = settings.thread_counts[level];
  if (clause) values.bind = team.bind;
  if (binds) values.bind = settings.binds[level];
  return shared_icv(values);
}

void clear_counts(Team& team) noexcept {
  for (unsigned i = 0; i < team.size; ++i) {
    team.slots[i].made.store(0, sync::relaxed);
    team.slots[i].ended.store(0, sync::relaxed);
  }
  team.ended_outside.store(0, sync::relaxed);
  team.has_tasks.store(0, sync::relaxed);
}

bool all_parts_ended(Team& team) noexcept {
  // [omp.part] What the workers wrote is visible to the master.
  if (team.parts_ended.load(sync::acquire) != team.size - 1) return false;
  return team.has_tasks.load(sync::relaxed) == 0 || no_tasks_left(team);
}

// A worker from its dock looks for tasks until the region is over. It may have been called for a
// region whose order has not reached it yet: then its team is an old one, which has no tasks, and
// where nobody would tell it that the order has come.
void help(Thread& self) {
  Team& team = *self.at.team;
  team.helpers.fetch_add(kHelper, sync::seq_cst);  // [omp.help]
  const std::uint32_t region = self.part_of_region;
  const sync::Atomic<std::uint32_t>& ended = slot_of(self).ended;
  std::uint32_t told = ended.load(sync::relaxed);
  wait_at_barrier(self, [&] {
    if (team.region.load(sync::seq_cst) != region) return true;  // [omp.help]
    if (team.has_tasks.load(sync::relaxed) == 0) return true;
    const std::uint32_t now = ended.load(sync::relaxed);
    // The master may wait for just that.
    if (std::exchange(told, now) != now && no_tasks_left(team)) team.idle.post(kAll);
    return false;
  });
  // [omp.help] The team is not touched any more, nor its counts.
  const std::uint32_t before = team.helpers.fetch_sub(kHelper, sync::release);
  if (before == kHelper + kMasterSleeps) sync::futex_wake(team.helpers, 1);
}

// When no helper is left, the team may be used again.
void wait_for_helpers(Team& team) noexcept {
  std::uint32_t left = team.helpers.load(sync::acquire);  // [omp.help]
  while (left != 0) {
    if (left == kMasterSleeps) {
      team.helpers.fetch_and(~kMasterSleeps, sync::relaxed);
    } else if ((left & kMasterSleeps) != 0) {
      sync::futex_wait(team.helpers, left);
    } else {
      team.helpers.fetch_or(kMasterSleeps, sync::relaxed);
    }
    left = team.helpers.load(sync::acquire);  // [omp.help]
  }
}

}  // namespace

void fail(const char* format, ...) {
  std::fflush(stdout);
  std::fputs("\nlibgomp: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  std::exit(EXIT_FAILURE);
}

void note_release(void* place) noexcept { base::tell_release(place); }
void note_acquire(void* place) noexcept { base::tell_acquire(place); }

unsigned team_size_for(Thread& self, unsigned wanted) {
  const Icv& icv = *self.at.task->icv;
  if (wanted == 1 || self.at.team->active_level >= icv.levels_max) return 1;
  unsigned size = wanted != 0 ? wanted : icv.thread_count;
  if (icv.dynamic != 0 && size > processor_count()) size = processor_count();
  return icv.thread_limit == kNoThreadLimit ? size : take_threads(size, icv.thread_limit);
}

Team& prepare_region(Thread& self, const Region& region) {
  Team& team = take_team(self, region.size);
  const Team& outer = *self.at.team;
  team.size = region.size;
  team.level = outer.level + 1;
  team.active_level = outer.active_level + (region.size > 1 ? 1 : 0);
  team.outer = self.at;
  team.master = &self;
  team.body = region.body;
  team.data = region.data;
  team.group = region.group;
  team.bind = region.bind;
  team.code.set(region.code != nullptr ? region.code : code_of(region.body));
  team.has_loop = false;
  team.may_recall = false;
  team.is_crowded = team.size > processor_count();
  team.arrived.store(0, sync::relaxed);
  team.epoch.store(0, sync::relaxed);
  team.cancelled.store(0, sync::relaxed);
  team.singles.store(0, sync::relaxed);
  team.parts_ended.store(0, sync::relaxed);
  team.region.store(++team.region_count, sync::relaxed);
  team.team_number = self.team_number;
  team.team_count = self.team_count;
  team.icv = icv_of_region(team, self.at.task->icv);
  team.is_counted = region.size > 1 && team.icv->thread_limit != kNoThreadLimit;
  return team;
}

void start_workers(Thread& self, Team& team) {
  note_release(&team);
  team.slots[0].thread = &self;
  begin_implicit(team, 0, team.icv, team.group);
  if (team.size > 1) {
    team.crew_at = self.crew_used;
    self.crew_used += team.size - 1;
    hire(self, self.crew_used);
    for (unsigned i = 1; i < team.size; ++i) team.slots[i].thread = self.crew[team.crew_at + i];
    if (MYR_UNLIKELY(place_count() != 0)) choose_places(self, team);
    for (unsigned i = 1; i < team.size; ++i) {
      begin_implicit(team, i, team.icv, team.group);
      send_to(*team.slots[i].thread, team, i);
    }
  }
  enter_team(self, team, 0);
  announce_affinity(self);
}

Team& begin_region(Thread& self, const Region& region) {
  Team& team = prepare_region(self, region);
  start_workers(self, team);
  return team;
}

void run_part(Thread& self, Team& team, unsigned index) {
  self.part_of_region = team.region.load(sync::relaxed);
  enter_team(self, team, index);
  self.team_number = team.team_number;
  self.team_count = team.team_count;
  note_acquire(&team);
  move_to_place(self);
  announce_affinity(self);
  {
    const Span span(Construct::Part, team.code.get());
    team.body(team.data);
  }
  note_release(&team);
  forget_depends(self, self.at.task);
  give_crew_back(self);
  const unsigned workers = team.size - 1;
  // [omp.part] The master sees what we wrote.
  if (team.parts_ended.fetch_add(1, sync::acq_rel) + 1 == workers) team.idle.post(kAll);
}

// Takes back the start of those that have not seen it: a construct need not wait for threads that
// come when all is done.
void recall_late(Team& team) noexcept {
  std::uint32_t recalled = 0;
  for (unsigned i = 1; i < team.size; ++i) recalled += recall(*team.slots[i].thread) ? 1 : 0;
  if (recalled != 0) team.parts_ended.fetch_add(recalled, sync::acq_rel);  // [omp.part]
}

void end_region(Thread& self) {
  Team& team = *self.at.team;
  forget_depends(self, self.at.task);
  if (team.may_recall && team.has_tasks.load(sync::relaxed) == 0) recall_late(team);
  wait_at_barrier(self, [&] { return all_parts_ended(team); });
  if (team.has_tasks.load(sync::relaxed) != 0) {
    team.region.store(0, sync::seq_cst);  // [omp.help]
    team.idle.post(kAll);
    wait_for_helpers(team);
    clear_counts(team);
  }
  note_acquire(&team);
  note_acquire(&team.arrived);
  self.crew_used -= team.size - 1;
  const std::uint32_t used = self.at.workshares;
  if (used != 0) clear_workshares(team, used);
  if (team.is_counted) give_threads_back(team.size);
  if (MYR_UNLIKELY(team.outer_places_count != 0)) give_places_back(self, team);
  self.at = team.outer;
  team.next_spare = self.spare_teams;
  self.spare_teams = &team;
}

bool no_tasks_left(Team& team) noexcept {
  // First those that have ended, then those that were made: if they are as many, there was a moment
  // between with none alive.
  // [omp.order] Of two threads that end the last tasks, the second to come here sees both.
  team.order.fetch_add(1, sync::acq_rel);
  std::uint32_t ended = team.ended_outside.load(sync::acquire);  // [omp.count]
  for (unsigned i = 0; i < team.size; ++i) {
    ended += team.slots[i].ended.load(sync::acquire);  // [omp.count]
  }
  std::uint32_t made = 0;
  for (unsigned i = 0; i < team.size; ++i) {
    made += team.slots[i].made.load(sync::acquire);  // [omp.count]
  }
  return made == ended;
}

namespace {

// Is the barrier over behind which `before` others are, to which `target` threads come in all? With
// tasks, a thread that finds that tells the others.
bool is_over(Team& team, std::uint32_t before, std::uint32_t target) noexcept {
  // [omp.barrier] What all wrote is visible, and tasks that were made before it, too: so this is
  // first.
  const std::uint32_t arrived = team.arrived.load(sync::acquire);
  const bool all_came = static_cast<std::int32_t>(arrived - target) >= 0;
  if (team.has_tasks.load(sync::acquire) == 0) return all_came;  // [omp.tasks]
  if (team.epoch.load(sync::acquire) != before) return true;     // [omp.barrier]
  if (!all_came || !no_tasks_left(team)) return false;
  // [omp.barrier] A thread that sees the new epoch sees what the tasks wrote.
  if (team.epoch.compare_exchange_strong(before, before + 1, sync::acq_rel, sync::acquire)) {
    team.idle.post(kAll);
  }
  return true;
}

}  // namespace

bool barrier(Thread& self) {
  Team& team = *self.at.team;
  if (team.is_cancelled()) return true;
  note_release(&team.arrived);
  const std::uint32_t before = self.at.barriers++;
  const std::uint32_t target = (before + 1) * team.size;
  // [omp.barrier] The last sees what all wrote, and so do those that see that it has come.
  const bool is_last = team.arrived.fetch_add(1, sync::acq_rel) + 1 == target;
  if (is_last && team.has_tasks.load(sync::relaxed) == 0) {
    team.idle.post(kAll);
  } else {
    wait_at_barrier(self, [&] { return team.is_cancelled() || is_over(team, before, target); });
  }
  note_acquire(&team.arrived);
  return team.is_cancelled();
}

void cancel_region(Team& team) {
  team.cancelled.store(1, sync::relaxed);
  team.idle.post(kAll);
  team.choosy.post(kAll);
}

void announce_tasks(Thread& self) {
  Team& team = *self.at.team;
  // [omp.tasks] A thread that sees that there are tasks sees that these barriers are over.
  team.epoch.store(self.at.barriers, sync::relaxed);
  sync::full_fence();                                          // [fence.pair]
  if (team.has_tasks.exchange(1, sync::acq_rel) != 0) return;  // [omp.tasks]
  sync::full_fence();                                          // [fence.pair]
  const unsigned called = team.is_crowded ? processor_count() : team.size;
  for (unsigned i = 1; i < called; ++i) call_for_help(*team.slots[i].thread);
  if (team.is_crowded) team.idle.post(called);  // one that slept without tasks looks for none
}

void help_if_asked(Thread& self) { help(self); }

Place leave_teams(Thread& self, const Icv* icv) {
  const Place place = self.at;
  Team* team = self.spare_alone;
  if (team != nullptr) {
    self.spare_alone = team->next_spare;
  } else {
    team = new_team(1);
  }
  team->region.store(++team->region_count, sync::relaxed);
  team->slots[0].thread = &self;
  team->icv = icv;
  team->arrived.store(0, sync::relaxed);
  team->epoch.store(0, sync::relaxed);
  clear_counts(*team);
  begin_implicit(*team, 0, icv, nullptr);
  enter_team(self, *team, 0);
  team->outer = place;
  return place;
}

void return_to(Thread& self, const Place& place) {
  Team* team = self.at.team;
  wait_for_children(self);
  wait_at_barrier(self, [&] { return no_tasks_left(*team); });
  forget_depends(self, self.at.task);
  self.at = place;
  team->next_spare = self.spare_alone;
  self.spare_alone = team;
}

}  // namespace myr::omp
