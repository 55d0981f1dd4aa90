// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/worker_cores.hpp"

#include <algorithm>
#include <utility>

namespace myr::cluster::master {

using scc::kCosts;

WorkerCores::WorkerCores(std::vector<CoreNumber> cores, const scc::MemoryMap& map, const Care& care,
                         Bodies& bodies)
    : care_(care),
      bodies_(bodies),
      worker_of_(scc::kCores, scc::kCores),
      buffers_([this](CoreNumber owner, Cycles time) { wake(owner, time); }) {
  for (const CoreNumber core : cores) {
    worker_of_[core] = count();
    workers_.emplace_back(core, map);
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
  Bodies::Run run;
  bodies_.run(self.ring.head().task, index, now, self.memory, run);
  self.phase = Phase::Task;
  self.since = now;
  self.walk = scc::BurstWalk(std::move(run.bursts), run.work);
  self.usage.tasks += 1;
  go_on(index, now);
}

void WorkerCores::go_on(unsigned index, Cycles now) {
  Worker& self = workers_[index];
  if (!self.walk.is_over()) {
    return put_event(index, self.walk.step(self.core, controllers_, now));
  }
  now += self.walk.work_left();
  return self.phase == Phase::Task ? flush(index, now) : complete(index, now);
}

void WorkerCores::flush(unsigned index, Cycles now) {
  Worker& self = workers_[index];
  bodies_.body_ended(index, now);
  self.usage.task += now - self.since;
  self.phase = Phase::Flush;
  self.since = now;
  std::vector<scc::Burst> bursts;
  if (care_.worker_flushes) {
    self.memory.flush_by_reading(scc::own_controller(self.core), bursts);
  }
  self.walk = scc::BurstWalk(std::move(bursts), 0);
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
