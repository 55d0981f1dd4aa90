// SPDX-License-Identifier: Apache-2.0
//
// The one loop in which threads of a team wait: run tasks, spin, sleep.
#pragma once

#include <utility>

#include "omp/team.hpp"

namespace myr::omp {

// A task that may run here: any, or one below `ancestor`; of this thread's, or of another's.
// nullptr: there is none.
[[nodiscard]] Task* take_task(Thread& self, const Task* ancestor, Look look) noexcept;
[[nodiscard]] Task* steal_task(Thread& self, const Task* ancestor, Look look) noexcept;
// The ancestor of all that may run while the running task waits: the task itself, if it is tied to
// its thread; else the last one that is tied, or nullptr if there is none. On a stack that is half
// full it is the task itself, too: a task that is not below it may want as much of the stack again.
[[nodiscard]] const Task* runs_below(Thread& self) noexcept;

// While a thread waits: what its tasks are below.
class Tied {
 public:
  Tied(Thread& self, const Task* ancestor) noexcept
      : self_(self), outer_(std::exchange(self.at.tied, ancestor)) {}
  ~Tied() { self_.at.tied = outer_; }
  Tied(const Tied&) = delete;
  Tied& operator=(const Tied&) = delete;

  [[nodiscard]] const Task* task() const noexcept { return self_.at.tied; }

 private:
  Thread& self_;
  const Task* outer_;
};

// The same of both, wherever it is in a queue.
[[nodiscard]] inline Task* find_task(Thread& self, const Task* ancestor) noexcept {
  Task* task = take_task(self, ancestor, Look::Whole);
  return task != nullptr ? task : steal_task(self, ancestor, Look::Whole);
}
// Runs a task. Another one that may run behind it, or nullptr. What has ended is not counted before
// count_ended().
[[nodiscard]] Task* run_task(Thread& self, Task* task);
// For others to see.
void count_ended(Thread& self) noexcept;
void push_ready(Thread& self, Task* task) noexcept;
// Is one queued in any of the first threads of the team? It may have begun another region. A hint.
[[nodiscard]] bool has_ready_tasks(const Team& team, unsigned size) noexcept;

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
// each looks from time to time whether there are any, the first threads most often: those that were
// told may be at work for long. One that may not run all tasks wakes another for what it leaves.
inline void sleep_in_team(Thread& self, Event& event, std::uint32_t epoch,
                          const Task* ancestor) noexcept {
  Team& team = *self.at.team;
  if (!team.is_crowded || team.has_tasks.load(sync::relaxed) == 0) {
    event.wait(epoch);
    return;
  }
  if (ancestor != nullptr && has_ready_tasks(team, team.size)) team.idle.post(1);
  unsigned looks = 0;
  while (!event.wait_for(epoch, look_ns(self.at.index, looks++)) &&
         !has_ready_tasks(team, team.size)) {
  }
}

// Waits until done(). The thread that makes it true posts `event` afterwards; if done has
// will_sleep(), that is called once the waiting thread is announced, and the other may post only if
// it has seen that. Tasks below `waiting` run meanwhile; if there are none, those below `ancestor`;
// nullptr: any.
template <class Done>
void wait_until(Thread& self, Event& event, const Task* waiting, const Task* ancestor,
                Done&& done) {
  Team& team = *self.at.team;
  const Tied tied(self, ancestor);
  count_ended(self);
  bool was_woken = false;
  while (!done()) {
    Task* task = nullptr;
    {
      Resting resting(Rest::InTeam);
      Spin spin(self.in_team);
      for (;;) {
        const bool has_tasks = team.has_tasks.load(sync::relaxed) != 0;
        task = has_tasks ? take_task(self, waiting, Look::Quick) : nullptr;
        if (task != nullptr) break;
        count_ended(self);
        if (done()) break;
        if (has_tasks && ancestor != waiting) task = take_task(self, ancestor, Look::Quick);
        if (task != nullptr) break;
        if (has_tasks && self.steals.may_begin(spin.last())) {
          task = steal_task(self, ancestor, Look::Quick);
        }
        if (task != nullptr) break;
        if (spin.turn()) continue;
        if (has_tasks) task = find_task(self, ancestor);  // an announcement costs more than a look
        if (task != nullptr) break;
        const std::uint32_t epoch = event.announce(has_tasks);
        if constexpr (requires { done.will_sleep(); }) done.will_sleep();
        const bool got_tasks = !has_tasks && team.has_tasks.load(sync::relaxed) != 0;
        if (has_tasks) task = find_task(self, ancestor);
        if (task == nullptr && !got_tasks && !done()) {
          if (was_woken && has_tasks && has_ready_tasks(team, team.size)) event.pass_on();
          resting.falls_asleep();
          sleep_in_team(self, event, epoch, ancestor);
          spin.has_slept();
          was_woken = true;
        }
        event.leave();
        break;
      }
    }
    if (task != nullptr) was_woken = false;
    run_tasks(self, task, done);
  }
  count_ended(self);
}

// In the running task, for something that is posted to those that may run some tasks only.
template <class Done>
void wait_in_task(Thread& self, Done&& done) {
  wait_until(self, self.at.team->choosy, self.at.task, runs_below(self), done);
}
// Where all threads of the team come, and any task may run.
template <class Done>
void wait_at_barrier(Thread& self, Done&& done) {
  wait_until(self, self.at.team->idle, nullptr, nullptr, done);
}

}  // namespace myr::omp
