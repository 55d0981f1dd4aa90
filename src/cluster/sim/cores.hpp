// SPDX-License-Identifier: Apache-2.0
//
// Cores: when what comes for an agent of a simulated machine is handled, and how long that keeps
// its core busy. What handling means is the owner's business.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "proto/agent.hpp"
#include "transport/sim/event_queue.hpp"

namespace myr::cluster::sim {

using proto::AgentId;
using transport::sim::Cycles;

enum class JobKind : std::uint8_t {
  Message,  // item: the number of the packet
  Fetched,  // item: the task whose data has come
  GoOn,     // item: the task
  Main,     // item: main, which begins
  Spawned,  // a spawn of this worker has been handled
  More,     // this scheduler goes on with what it has put off
  Wake,     // the core is free again, and something is waiting
};
struct Job {
  std::uint64_t item = 0;
  AgentId agent = 0;
  JobKind kind = JobKind::Wake;
};

class Cores {
 public:
  explicit Cores(AgentId agents) : cores_(agents) {}

  // From now on in the order of time; jobs of the same time in the order of these calls.
  void schedule(Cycles time, const Job& job) { queue_.push(time, job); }

  // Hands each job over when its agent's core is free: `handle(job)` returns when the core will be
  // free again. Until nothing is scheduled, or `handle` is not to be called any more.
  template <class Handle, class Continue>
  void run(Handle&& handle, Continue&& may_continue) {
    while (!queue_.is_empty() && may_continue()) {
      const Job job = queue_.pop();
      Core& core = cores_[job.agent];
      if (job.kind == JobKind::Wake) {
        core.free_at = handle(core.take());
        core.is_waking = core.has_waiting();
        if (core.is_waking) queue_.push(core.free_at, job);
      } else if (core.is_waking || core.free_at > queue_.now()) {
        core.waiting.push_back(job);
        if (core.is_waking) continue;
        core.is_waking = true;
        queue_.push(core.free_at, {.agent = job.agent});
      } else {
        core.free_at = handle(job);
      }
    }
  }

  [[nodiscard]] Cycles now() const noexcept { return queue_.now(); }

 private:
  struct Core {
    Cycles free_at = 0;
    bool is_waking = false;  // a Wake is scheduled; exactly while something is waiting
    std::size_t taken = 0;
    std::vector<Job> waiting;  // the first `taken` have been taken

    [[nodiscard]] bool has_waiting() const noexcept { return !waiting.empty(); }
    Job take() {
      const Job job = waiting[taken++];
      if (taken == waiting.size()) {
        waiting.clear();
        taken = 0;
      }
      return job;
    }
  };

  transport::sim::EventQueue<Job> queue_;
  std::vector<Core> cores_;
};

}  // namespace myr::cluster::sim
