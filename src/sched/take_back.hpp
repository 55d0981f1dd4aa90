// SPDX-License-Identifier: Apache-2.0
//
// TakeBack: sees to it that no worker below one scheduler is idle while a task waits behind another
// one. Tasks are bound to workers ahead of time, and schedulers have tasks of those above them; so
// what was placed well may come to wait for a long task, while others end or leave for a wait.
//
//   A child has fewer tasks than threads, and another more   GiveBack, with `top`: this scheduler
//   GiveBack comes     one that is kept here goes up; else the first crowded child is asked
//   a worker is asked  its last task that has not begun goes up: GivenBack; or word of none
//   that word comes    the next crowded child is asked; behind the last one, the word goes up
//   a task comes       it goes up; at the top of the request, to an idle child
//
// A task goes to workers below its home only, so a request brings tasks whose home is `top` or
// above. There is one request of each scheduler's at a time, and none after one in vain until some
// child's number of tasks has changed. A scheduler sees to one request after the other, its own
// among them: so none of them misses a task that another one has under way. Those from above wait
// for requests further down only, so none waits for ever.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/messages.hpp"
#include "sched/link.hpp"
#include "sched/placer.hpp"
#include "sched/task_table.hpp"

namespace myr::sched {

class TakeBack {
 public:
  // `is_on`: workers answer while they run tasks; if not, nobody is asked.
  TakeBack(Link& link, Placer& placer, TaskTable& tasks, bool is_on) noexcept
      : link_(link), placer_(placer), tasks_(tasks), is_on_(is_on) {}

  void handle(AgentId from, proto::GiveBack& message);
  void handle(AgentId from, proto::GivenBack& message);
  // Begins a request if it can be of use.
  void ask_if_due();

 private:
  [[nodiscard]] bool can_share() const { return placer_.has_idle() && placer_.has_crowded(); }
  void add(AgentId top);
  void begin();
  // The first crowded child behind `child`.
  void ask_behind(AgentId child);
  // Ends the present request, with that answer.
  void end(proto::GivenBack answer);

  Link& link_;
  Placer& placer_;
  TaskTable& tasks_;
  const bool is_on_;
  std::vector<AgentId> tops_;   // of requests; the first one is seen to
  bool is_asking_ = false;      // one of them is this scheduler's own
  std::uint64_t asked_at_ = 0;  // Placer::changes() when the last one began
};

}  // namespace myr::sched
