// SPDX-License-Identifier: Apache-2.0
//
// The one loop in which threads of a team wait: run tasks, spin, sleep.
#pragma once

#include <utility>

#include "omp/team.hpp"

namespace myr::omp {

// A task that may run here: any, or one below `ancestor`. nullptr: there is none.
[[nodiscard]] Task* find_task(Thread& self, const Task* ancestor) noexcept;
void run_task(Thread& self, Task* task);

// Waits until done(). Who makes it true posts `event` afterwards. Tasks below `ancestor` run
// meanwhile; any task of the team if it is null.
template <class Done>
void wait_until(Thread& self, Event& event, const Task* ancestor, Done done) {
  Team& team = *self.at.team;
  while (!done()) {
    Spin spin(self.in_team);
    Task* task = nullptr;
    for (;;) {
      const bool has_tasks = team.has_tasks.load(sync::relaxed) != 0;
      task = has_tasks ? find_task(self, ancestor) : nullptr;
      if (task != nullptr || done()) break;
      if (spin.turn()) continue;
      const std::uint32_t epoch = event.announce();
      task = find_task(self, ancestor);
      if (task == nullptr && !done()) {
        count_awake(-1);
        event.wait(epoch);
        count_awake(1);
        spin.has_slept();
      }
      event.leave();
      break;
    }
    if (task != nullptr) run_task(self, task);
  }
}

}  // namespace myr::omp
