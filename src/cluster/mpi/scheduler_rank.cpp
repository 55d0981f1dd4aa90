// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/scheduler_rank.hpp"

#include <algorithm>
#include <memory>
#include <variant>

#include "base/contract.hpp"
#include "cluster/heap_store.hpp"
#include "cluster/misuse.hpp"
#include "cluster/mpi/parcel.hpp"
#include "plat/clock.hpp"
#include "plat/thread.hpp"

namespace myr::cluster::mpi {

namespace {

sched::Options scheduler_options(const Options& options, AgentId self, proto::PageRun memory) {
  return {.load_percent = options.load_percent,
          .runs_tasks = !options.is_spmd,
          .threads = options.threads,
          .takes_back = !options.is_spmd,
          .memory = self == proto::kTop ? memory : proto::PageRun{},
          .chaos = options.chaos};
}

// A process has one store.
std::unique_ptr<HeapStore> new_store(graph::RegionSpace& space) {
  return std::make_unique<HeapStore>(0, space, /*is_alone=*/true);
}

}  // namespace

SchedulerRank::SchedulerRank(Rank& rank, const sched::Topology& topology, const Modules& modules,
                             const Options& options, graph::RegionSpace& space,
                             proto::PageRun memory)
    : post_(rank, topology),
      vigil_(post_, options.silence_ns),
      modules_(modules),
      log_(options.recording == nullptr
               ? nullptr
               : options.recording->timeline(
                     first_track(topology, agent_at(topology, rank.self()), options.threads)),
           trace::State::Idle, plat::ticks()),
      host_(topology, agent_at(topology, rank.self()),
            scheduler_options(options, agent_at(topology, rank.self()), memory), *this,
            new_store(space)) {}

void SchedulerRank::run() {
  plat::prefer_short_slices();
  transport::mpi::Patience patience(post_.rank().spins());
  for (;;) {
    vigil_.look();
    while (host_.serve()) vigil_.tell();
    if (post_.look()) {
      patience.reset();
    } else {
      log_.change(trace::State::Idle, plat::ticks());
      patience.expect(post_.rank().is_sending_much());
      patience.pause();
      log_.change(trace::State::Runtime, plat::ticks());
    }
    if (const auto notice = post_.take_notice()) {
      if (std::holds_alternative<proto::Stop>(notice->frame)) return;
      MYR_ASSERT(std::holds_alternative<proto::Alive>(notice->frame));
      vigil_.heard(notice->from);
    }
  }
}

AgentUsage SchedulerRank::usage() const {
  AgentUsage usage = log_.usage();
  usage.messages = post_.message_count();
  usage.message_bytes = post_.message_bytes();
  return usage;
}

void SchedulerRank::misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) {
  report(kind, call_of(program), site_in(program, modules_), access);
}

}  // namespace myr::cluster::mpi
