// SPDX-License-Identifier: Apache-2.0
//
// Docks: where workers wait for the next region, and are called to help with its tasks. All that
// passes between a worker and the thread that has it in its crew is in the word `dock`: see Thread.
#include "omp/team.hpp"
#include "omp/threads.hpp"
#include "omp/wait_until.hpp"

namespace myr::omp {

namespace {

// Until its word changes. In a team with more threads than processors few are called when there are
// tasks; the others look for them as long as their last region goes on.
void sleep_in_dock(Thread& self, std::uint32_t asleep, unsigned team_size) noexcept {
  Team& team = *self.at.team;
  unsigned vain = 0;
  while (self.dock.load(sync::relaxed) == asleep) {
    const bool looks =
        team_size > processor_count() && team.region.load(sync::relaxed) == self.part_of_region;
    if (!looks) {
      sync::futex_wait(self.dock, asleep);
      continue;
    }
    sync::futex_wait_for(self.dock, asleep, look_ns(self.at.index, vain++));
    if (has_ready_tasks(team, team_size)) call_for_help(self);
  }
}

}  // namespace

void wait_in_dock(Thread& self, unsigned team_size) {
  // The maker of its team's first task may have called before this worker had its order.
  if (self.at.team->has_tasks.load(sync::relaxed) != 0) help_if_asked(self);
  Resting resting(Rest::OutOfWork);
  Spin spin(self.in_dock);
  for (;;) {
    std::uint32_t seen = self.dock.load(sync::acquire);  // [omp.dock] The master's orders.
    if ((seen & ~kDockFlags) != self.dock_seen) {
      // [omp.dock] From here on its start is not taken back.
      if ((seen & kDockRecall) == 0 ||
          self.dock.compare_exchange_strong(seen, seen & ~kDockRecall, sync::acquire,
                                            sync::relaxed)) {
        break;
      }
      continue;
    }
    if ((seen & kDockHelp) != 0) {
      self.dock.fetch_and(~kDockHelp, sync::relaxed);
      help_if_asked(self);
      continue;
    }
    if (spin.turn()) continue;
    // It looks for orders again when it wakes.
    if (!self.dock.compare_exchange_strong(seen, seen | kDockAsleep, sync::relaxed,
                                           sync::relaxed)) {
      continue;
    }
    count_awake(-1);
    resting.falls_asleep();
    sleep_in_dock(self, seen | kDockAsleep, team_size);
    // A thread that sends it somewhere counts it; one that only asks for help does not.
    if ((self.dock.fetch_and(~kDockAsleep, sync::relaxed) & kDockAsleep) != 0) count_awake(1);
    spin.has_slept();
  }
  self.dock_seen = self.dock.load(sync::relaxed) & ~kDockFlags;
}

void send_to(Thread& worker, Team& team, unsigned index) { leave_dock(worker, &team, index); }

void leave_dock(Thread& worker, Team* team, unsigned index) {
  worker.told_team = team;
  worker.told_index = index;
  if (MYR_UNLIKELY(!worker.is_started)) {
    worker.is_started = true;
    count_awake(1);
    start(worker);
    return;
  }
  const std::uint32_t flag = team != nullptr && team->may_recall ? kDockRecall : 0;
  const std::uint32_t step = (worker.dock.load(sync::relaxed) & ~kDockFlags) + kDockStep + flag;
  const std::uint32_t old = worker.dock.exchange(step, sync::release);  // [omp.dock]
  if ((old & kDockAsleep) != 0) {
    count_awake(1);
    sync::futex_wake(worker.dock, 1);
  }
}

bool recall(Thread& worker) noexcept {
  std::uint32_t old = worker.dock.load(sync::relaxed);
  std::uint32_t before = 0;
  do {
    if ((old & kDockRecall) == 0) return false;
    before = old - kDockRecall - kDockStep;
  } while (!worker.dock.compare_exchange_weak(old, before, sync::relaxed, sync::relaxed));
  return true;
}

void call_for_help(Thread& worker) noexcept {
  // [omp.dock] The tasks' team is visible.
  const std::uint32_t old = worker.dock.fetch_or(kDockHelp, sync::release);
  if ((old & kDockAsleep) != 0) sync::futex_wake(worker.dock, 1);
}

}  // namespace myr::omp
