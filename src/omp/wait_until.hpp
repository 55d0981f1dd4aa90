// SPDX-License-Identifier: Apache-2.0
//
// The one loop in which threads of a team wait: run tasks, spin, sleep.
#pragma once

#include <utility>

#include "omp/team.hpp"

namespace myr::omp {

// A task that may run here: any, or one below `ancestor`; of this thread's, or of another's.
// nullptr: there is none.
[[nodiscard]] Task* take_task(Thread& self, const Task* ancestor) noexcept;
[[nodiscard]] Task* steal_task(Thread& self, const Task* ancestor) noexcept;
// Runs a task. Another one that may run behind it, or nullptr. What has ended is not counted before
// count_ended().
[[nodiscard]] Task* run_task(Thread& self, Task* task);
// For others to see.
void count_ended(Thread& self) noexcept;
void push_ready(Thread& self, Task* task) noexcept;

// Runs a task and those behind it, until done().
template <class Done>
void run_tasks(Thread& self, Task* task, Done& done) {
  constexpr unsigned kTurnsBetweenLooks = 16;
  for (unsigned turn = 1; task != nullptr; ++turn) {
    task = run_task(self, task);
    if (task != nullptr && turn % kTurnsBetweenLooks == 0 && done()) {
      push_ready(self, task);
      task = nullptr;
    }
  }
}

// Waits until done(). Who makes it true posts `event` afterwards. Tasks below `ancestor` run
// meanwhile; any task of the team if it is null.
template <class Done>
void wait_until(Thread& self, Event& event, const Task* ancestor, Done done) {
  Team& team = *self.at.team;
  count_ended(self);
  while (!done()) {
    Task* task = nullptr;
    {
      Resting resting(Rest::InTeam);
      Spin spin(self.in_team, team.size);
      for (;;) {
        const bool has_tasks = team.has_tasks.load(sync::relaxed) != 0;
        task = has_tasks ? take_task(self, ancestor) : nullptr;
        if (task != nullptr) break;
        count_ended(self);
        if (done()) break;
        if (has_tasks && self.steals.may_begin(spin.last())) task = steal_task(self, ancestor);
        if (task != nullptr) break;
        if (spin.turn()) continue;
        const std::uint32_t epoch = event.announce(has_tasks);
        const bool got_tasks = !has_tasks && team.has_tasks.load(sync::relaxed) != 0;
        if (has_tasks) task = take_task(self, ancestor);
        if (has_tasks && task == nullptr) task = steal_task(self, ancestor);
        if (task == nullptr && !got_tasks && !done()) {
          resting.falls_asleep();
          event.wait(epoch);
          spin.has_slept();
        }
        event.leave();
        break;
      }
    }
    run_tasks(self, task, done);
  }
  count_ended(self);
}

}  // namespace myr::omp
