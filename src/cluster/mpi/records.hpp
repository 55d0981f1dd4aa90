// SPDX-License-Identifier: Apache-2.0
//
// Records: what the processes of a job have observed of themselves, brought together on rank 0 and
// on its clock.
//
// Threads: main's of each process, while no agents run.
#pragma once

#include <memory>
#include <vector>

#include "cluster/machine.hpp"
#include "cluster/mpi/clocks.hpp"
#include "cluster/mpi/modules.hpp"
#include "cluster/mpi/post.hpp"

namespace myr::cluster::mpi {

// What rank 0 wants of the others; it tells them when the machine starts.
using Wishes = proto::Start;
[[nodiscard]] Wishes wishes_of(const Options& options);

// On a rank that runs main.
class Collection {
 public:
  Collection(Rank& rank, const sched::Topology& topology, const Modules& modules,
             const Options& options)
      : rank_(rank),
        topology_(topology),
        modules_(modules),
        options_(options),
        wishes_(wishes_of(options)),
        usage_(topology.agent_count()) {}

  // The others have been told that the machine starts, and that it stops.
  void started() {
    if (wishes_.any()) started_ = ask_for_time(rank_, options_.silence_ns);
  }
  void stopped() {
    if (wishes_.any()) stopped_ = ask_for_time(rank_, options_.silence_ns);
  }
  // What the others send then.
  void take(const Post::Notice& notice);
  void set(AgentId agent, const AgentUsage& usage) { usage_[agent] = usage; }
  [[nodiscard]] const std::vector<AgentUsage>& usage() const noexcept { return usage_; }

 private:
  [[nodiscard]] ClockMap clock_of(unsigned rank) const;

  Rank& rank_;
  const sched::Topology& topology_;
  const Modules& modules_;
  const Options& options_;
  const Wishes wishes_;
  std::vector<Moment> started_;
  std::vector<Moment> stopped_;
  std::vector<AgentUsage> usage_;
};

// On another rank: the options of its agent, with a place for timelines if these are wanted.
class OwnRecords {
 public:
  OwnRecords(const Options& options, const sched::Topology& topology, const Wishes& wishes);

  [[nodiscard]] const Options& options() const noexcept { return options_; }
  // After the agent has ended.
  void send(Rank& rank, const sched::Topology& topology, const Modules& modules,
            const AgentUsage& usage) const;

 private:
  Options options_;
  std::unique_ptr<trace::Recording> recording_;
};

}  // namespace myr::cluster::mpi
