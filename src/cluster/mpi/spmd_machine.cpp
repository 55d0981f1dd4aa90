// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/spmd_machine.hpp"

#include <utility>

#include "cluster/mpi/job.hpp"
#include "cluster/mpi/rank_machine.hpp"
#include "cluster/mpi/spmd_worker.hpp"

namespace myr::cluster::mpi {

namespace {

class SpmdMachine final : public RankMachine {
 public:
  SpmdMachine(Rank& rank, const Modules& modules, sched::Topology topology, const Options& options)
      : RankMachine(rank, std::move(topology), modules, options), worker_(rank, topology_) {}

  void stop() override {
    worker_.finish();
    stop_clock();
    const AgentUsage own = worker_.usage();
    if (rank_.self() != 0) rank_.send(0, make_bytes(own));
    collect(own);
  }

 private:
  SpmdWorker worker_;
};

}  // namespace

base::Result<std::unique_ptr<Machine>> start_spmd(Job& job, sched::Topology topology,
                                                  const Options& options) {
  Rank& rank = job.rank();
  if (auto heap = new_heap(); !heap) return heap.error();
  if (rank.self() == 0) {
    for (const AgentId scheduler : topology.schedulers()) {
      rank.send(rank_of(topology, scheduler), make_bytes(proto::Start{}));
    }
  }
  drain(rank, options.silence_ns, [](const Post::Notice&) {});
  return std::unique_ptr<Machine>(
      new SpmdMachine(rank, job.modules(), std::move(topology), options));
}

}  // namespace myr::cluster::mpi
