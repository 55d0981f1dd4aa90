// SPDX-License-Identifier: Apache-2.0
//
// SchedulerRank: a scheduler of a job: its host, over messages of MPI, while there are any; and it
// is its host's wire.
#pragma once

#include <optional>
#include <utility>

#include "cluster/agent_log.hpp"
#include "cluster/machine.hpp"
#include "cluster/mpi/modules.hpp"
#include "cluster/mpi/post.hpp"
#include "cluster/mpi/vigil.hpp"
#include "graph/region_space.hpp"
#include "sched/host.hpp"

namespace myr::cluster::mpi {

class SchedulerRank {
 public:
  // `memory`: what the top is to start with.
  SchedulerRank(Rank& rank, const sched::Topology& topology, const Modules& modules,
                const Options& options, graph::RegionSpace& space, proto::PageRun memory);

  // Until the machine stops.
  void run();
  // Once it has.
  [[nodiscard]] AgentUsage usage() const;

  // ---- for its host
  void send(AgentId next_hop, proto::Message&& message) {
    post_.send(next_hop, std::move(message));
  }
  [[nodiscard]] std::optional<sched::Incoming> receive() { return post_.take_message(); }
  void misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access);

 private:
  Post post_;
  Vigil vigil_;
  const Modules& modules_;
  AgentLog log_;
  sched::Host<SchedulerRank> host_;
};

}  // namespace myr::cluster::mpi
