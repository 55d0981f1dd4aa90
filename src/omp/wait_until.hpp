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
// Is one queued in any thread of the team? A hint.
[[nodiscard]] bool has_ready_tasks(const Team& team) noexcept;

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

// Sleeps until a post. In a team with more threads than processors, of which few are told of tasks,
// each looks for tasks from time to time, the first threads most often: those that were told may be
// at work for long. One that may not run all tasks wakes another for what it leaves.
inline void sleep_in_team(Thread& self, Event& event, std::uint32_t epoch,
                          const Task* ancestor) noexcept {
  Team& team = *self.at.team;
  if (!team.is_crowded || team.has_tasks.load(sync::relaxed) == 0) {
    event.wait(epoch);
    return;
  }
  if (ancestor != nullptr && has_ready_tasks(team)) team.idle.post(1);
  event.wait_for(epoch, look_ns(self.at.index));
}

// Waits until done(). Who makes it true posts `event` afterwards; if done has will_sleep(), that is
// called once the thread is announced, and who makes it true may post only if it has seen that.
// Tasks below `ancestor` run meanwhile; any task of the team if it is null.
template <class Done>
void wait_until(Thread& self, Event& event, const Task* ancestor, Done&& done) {
  Team& team = *self.at.team;
  count_ended(self);
  while (!done()) {
    Task* task = nullptr;
    {
      Resting resting(Rest::InTeam);
      Spin spin(self.in_team);
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
        if constexpr (requires { done.will_sleep(); }) done.will_sleep();
        const bool got_tasks = !has_tasks && team.has_tasks.load(sync::relaxed) != 0;
        if (has_tasks) task = take_task(self, ancestor);
        if (has_tasks && task == nullptr) task = steal_task(self, ancestor);
        if (task == nullptr && !got_tasks && !done()) {
          resting.falls_asleep();
          sleep_in_team(self, event, epoch, ancestor);
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
