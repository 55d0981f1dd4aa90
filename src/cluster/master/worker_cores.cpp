// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/worker_cores.hpp"

#include <algorithm>
#include <utility>

namespace myr::cluster::master {

using scc::Burst;
using scc::CoreMemory;
using scc::kCosts;

WorkerCores::WorkerCores(std::vector<CoreNumber> cores, scc::Placement placement, const Care& care,
                         Bodies& bodies)
    : care_(care),
      bodies_(bodies),
      worker_of_(scc::kCores, scc::kCores),
      buffers_([this](CoreNumber owner, Cycles time) { wake(owner, time); }) {
  for (const CoreNumber core : cores) {
    worker_of_[core] = count();
    workers_.emplace_back(core, placement);
  }
}

void WorkerCores::run_until(Cycles time) {
  while (!events_.empty() && events_.top().time <= time) step();
}

bool WorkerCores::run_until_completed(Cycles& time) {
  for (has_completed_ = false; !has_completed_;) {
    if (events_.empty()) return false;
    step();
  }
  time = completed_at_;
  return true;
}

void WorkerCores::step() {
  const Event event = events_.top();
  events_.pop();
  switch (workers_[event.worker].phase) {
    case Phase::Rest:
      break;
    case Phase::Look:
      return look(event.worker, event.time);
    case Phase::Task:
    case Phase::Flush:
      return go_on(event.worker, event.time);
  }
}

// Somebody has written into the buffer of a core: the master, or the core itself.
void WorkerCores::wake(CoreNumber owner, Cycles time) {
  const unsigned index = worker_of_[owner];
  if (workers_[index].phase != Phase::Rest) return;
  workers_[index].phase = Phase::Look;
  put_event(index, time);
}

void WorkerCores::look(unsigned index, Cycles now) {
  Worker& self = workers_[index];
  if (self.ring.look(buffers_.at(self.core, now), care_)) {
    begin(index, now);
  } else {
    self.phase = Phase::Rest;
  }
}

void WorkerCores::begin(unsigned index, Cycles now) {
  Worker& self = workers_[index];
  const std::uint32_t lines = access_lines(self.ring.head().accesses);
  for (std::uint32_t line = 1; line <= lines; ++line) {
    if (line < kEntryLines) {
      static_cast<void>(buffers_.at(self.core, now).read(self.ring.line(line)));
    } else {
      now += scc::memory_latency(self.core, scc::own_controller(self.core));
    }
  }
  const Cycles start = now;
  if (care_.worker_invalidates) {
    self.memory.invalidate();
    now += kCosts.second_invalidate;
  }
  self.usage.flush += now - start;
  now += kCosts.task_call;
  self.run.work = 0;
  self.run.bursts.clear();
  bodies_.run(self.ring.head().task, index, now, self.memory, self.run);
  self.phase = Phase::Task;
  self.since = now;
  self.next_burst = 0;
  self.work_left = self.run.work;
  self.lines_left = 0;
  for (const Burst& burst : self.run.bursts) self.lines_left += burst.visited;
  self.usage.tasks += 1;
  go_on(index, now);
}

// One burst, and what the core computes behind it: its share of the work, line by line.
void WorkerCores::go_on(unsigned index, Cycles now) {
  Worker& self = workers_[index];
  if (self.next_burst == self.run.bursts.size()) {
    now += std::exchange(self.work_left, 0);
    return self.phase == Phase::Task ? flush(index, now) : complete(index, now);
  }
  const Burst& burst = self.run.bursts[self.next_burst++];
  if (burst.lines != 0) now = controllers_.fetch(self.core, burst.controller, burst.lines, now);
  now += burst.stalls;
  if (burst.visited != 0) {
    const Cycles share = self.work_left * burst.visited / self.lines_left;
    self.work_left -= share;
    self.lines_left -= burst.visited;
    now += share;
  }
  put_event(index, now);
}

// The chip has no instruction for it: the core reads as many lines of its own memory as its cache
// has, which drives all others out.
void WorkerCores::flush(unsigned index, Cycles now) {
  Worker& self = workers_[index];
  bodies_.body_ended(index, now);
  self.usage.task += now - self.since;
  self.phase = Phase::Flush;
  self.since = now;
  self.next_burst = 0;
  self.run.bursts.clear();
  if (care_.worker_flushes) {
    self.memory.flush(self.run.bursts);
    const auto own = static_cast<std::uint8_t>(scc::own_controller(self.core));
    for (std::size_t left = self.memory.flush_lines(); left != 0;) {
      const auto lines =
          static_cast<std::uint32_t>(std::min<std::size_t>(left, CoreMemory::kBurstMax));
      self.run.bursts.push_back({.lines = lines, .controller = own});
      left -= lines;
    }
  }
  put_event(index, now);
}

void WorkerCores::complete(unsigned index, Cycles now) {
  Worker& self = workers_[index];
  self.usage.flush += now - self.since;
  self.ring.complete(buffers_.at(self.core, now), care_);
  has_completed_ = true;
  completed_at_ = now;
  self.phase = Phase::Look;
  put_event(index, now);
}

}  // namespace myr::cluster::master
