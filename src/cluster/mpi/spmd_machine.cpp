// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/spmd_machine.hpp"

#include <cstring>
#include <utility>

#include "cluster/mpi/job.hpp"
#include "cluster/mpi/spmd_worker.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::mpi {

namespace {

class SpmdMachine final : public Machine {
 public:
  SpmdMachine(Rank& rank, sched::Topology topology)
      : rank_(rank),
        topology_(std::move(topology)),
        worker_(rank, topology_),
        usage_(topology_.agent_count()),
        start_ns_(plat::now_ns()) {
    clock_.start_ticks = plat::ticks();
  }

  void stop() override {
    worker_.finish();
    clock_.end_ticks = plat::ticks();
    clock_.elapsed_ns = plat::now_ns() - start_ns_;
    AgentUsage& own = usage_[agent_at(topology_, rank_.self())];
    own = worker_.usage();
    if (rank_.self() != 0) {
      rank_.send(0, make_bytes(Kind::Usage, std::as_bytes(std::span(&own, 1))));
    }
    drain(rank_, 0, [this](const Post::Notice& notice) {
      if (notice.kind == Kind::Usage) {
        usage_[agent_at(topology_, notice.from)] = usage_in(notice);
      }
    });
  }
  [[nodiscard]] std::vector<AgentUsage> usage() const override { return usage_; }
  [[nodiscard]] trace::Clock clock() const override { return clock_; }
  [[nodiscard]] const sched::Topology& topology() const noexcept override { return topology_; }

 private:
  Rank& rank_;
  const sched::Topology topology_;
  SpmdWorker worker_;
  std::vector<AgentUsage> usage_;
  std::uint64_t start_ns_;
  trace::Clock clock_{};
};

}  // namespace

base::Result<std::unique_ptr<Machine>> start_spmd(Rank& rank, sched::Topology topology) {
  if (auto heap = new_heap(); !heap) return heap.error();
  if (rank.self() == 0) {
    for (const AgentId scheduler : topology.schedulers()) {
      rank.send(rank_of(topology, scheduler), make_bytes(Kind::Start));
    }
  }
  drain(rank, 0, [](const Post::Notice&) {});
  return std::unique_ptr<Machine>(new SpmdMachine(rank, std::move(topology)));
}

}  // namespace myr::cluster::mpi
