// SPDX-License-Identifier: Apache-2.0
//
// RankMachine: the part of a job's machine that is on a rank which runs main: what it knows of the
// others' work when all have stopped.
//
// Threads: main's.
#pragma once

#include <utility>
#include <vector>

#include "cluster/machine.hpp"
#include "cluster/mpi/records.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::mpi {

class RankMachine : public Machine {
 public:
  [[nodiscard]] std::vector<AgentUsage> usage() const override { return collection_.usage(); }
  [[nodiscard]] trace::Clock clock() const override { return clock_; }
  [[nodiscard]] const sched::Topology& topology() const noexcept override { return topology_; }

 protected:
  RankMachine(Rank& rank, sched::Topology topology, const Modules& modules, const Options& options)
      : rank_(rank),
        topology_(std::move(topology)),
        options_(options),
        collection_(rank, topology_, modules, options_),
        start_ns_(plat::now_ns()) {
    clock_.start_ticks = plat::ticks();
  }
  ~RankMachine() override = default;

  // Main is over.
  void stop_clock() {
    clock_.end_ticks = plat::ticks();
    clock_.elapsed_ns = plat::now_ns() - start_ns_;
  }
  // All have stopped, and say what they have done.
  void collect(const AgentUsage& own) {
    collection_.set(agent_at(topology_, rank_.self()), own);
    drain(rank_, options_.silence_ns,
          [this](const Post::Notice& notice) { collection_.take(notice); });
  }

  Rank& rank_;
  const sched::Topology topology_;
  const Options options_;
  Collection collection_;

 private:
  std::uint64_t start_ns_;
  trace::Clock clock_{};
};

}  // namespace myr::cluster::mpi
