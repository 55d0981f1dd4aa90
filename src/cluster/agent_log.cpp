// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent_log.hpp"

#include <utility>

#include "base/format.hpp"

namespace myr::cluster {

using trace::State;
using trace::Track;

namespace {

std::uint64_t AgentUsage::* bucket_of(State state) {
  switch (state) {
    case State::Task:
      return &AgentUsage::task_ticks;
    case State::Runtime:
      return &AgentUsage::runtime_ticks;
    case State::Memory:
      return &AgentUsage::memory_ticks;
    case State::Wait:
      return &AgentUsage::wait_ticks;
    case State::Idle:
    case State::Asleep:
      break;
  }
  return &AgentUsage::idle_ticks;
}

template <class Body, class... Types>
bool is_one_of(const Body& body) {
  return (std::holds_alternative<Types>(body) || ...);
}

}  // namespace

std::vector<Track> tracks_of(const sched::Topology& topology, unsigned threads) {
  std::vector<Track> tracks;
  unsigned workers = 0;
  unsigned schedulers = 0;
  for (proto::AgentId agent = 0; agent < topology.agent_count(); ++agent) {
    if (!topology.is_worker(agent)) {
      tracks.push_back(
          {.name = base::format("scheduler {}", schedulers++), .kind = Track::Kind::Scheduler});
      continue;
    }
    for (unsigned i = 0; i < threads; ++i) {
      tracks.push_back({.name = base::format("worker {}", workers),
                        .kind = workers == 0 ? Track::Kind::Main : Track::Kind::Worker});
      workers += 1;
    }
  }
  return tracks;
}

unsigned first_track(const sched::Topology& topology, proto::AgentId agent, unsigned threads) {
  return agent + topology.worker_number(agent) * (threads - 1);
}

bool is_about_memory(const proto::Body& body) {
  return is_one_of<proto::Body, proto::NewRegion, proto::Foster, proto::Fostered, proto::RegionMade,
                   proto::Free, proto::Orphaned, proto::Allocate, proto::Allocated, proto::Lend,
                   proto::Lent, proto::HandOver, proto::Describe, proto::Described, proto::Release,
                   proto::Released, proto::PagesWanted, proto::PagesGranted, proto::PagesDemanded,
                   proto::PagesReturned>(body);
}

void AgentLog::change(State state, std::uint64_t ticks) {
  usage_.*bucket_of(state_) += ticks - since_;
  if (timeline_ != nullptr) timeline_->add_span({since_, ticks, state_});
  state_ = state;
  since_ = ticks;
}

}  // namespace myr::cluster
