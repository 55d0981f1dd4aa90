// SPDX-License-Identifier: Apache-2.0
//
// Process: a worker of `mpi` without its process: the worker of the tree protocol and the transfers
// of its data are the product's, with the options of RankNode; the engine's threads, MPI, and the
// time after which a task may go back are chance.
#pragma once

#include <optional>

#include "base/contract.hpp"
#include "cluster/mpi/transfers.hpp"
#include "machine.hpp"
#include "network.hpp"
#include "sched/worker.hpp"

namespace myr::sim_test {

class Process final : public SimulatedWorker,
                      private sched::Data,
                      private sched::Hands,
                      private Network::Ears {
 public:
  Process(Machine& machine, Network& network, proto::AgentId self, WorkerKind kind)
      : machine_(machine),
        self_(self),
        threads_(kind.threads),
        end_(network, self, *this),
        transfers_(end_, self, kind.overwrites),
        worker_(*this, *this, self, {.tasks_ahead = kind.threads + 1, .only_replays_wait = true}) {}

  // ---- SimulatedWorker
  void receive(proto::Body& body) override { worker_.receive(body); }
  void start_main() override { running_ = 1; }
  void waits(proto::TaskId) override {
    MYR_ASSERT(running_ != 0);
    running_ -= 1;
    run_later();
  }
  void ended(proto::TaskId task) override { waits(task); }
  [[nodiscard]] bool is_idle() const override {
    return running_ == 0 && !worker_.has_tasks() && !worker_.has_requests() &&
           !transfers_.are_under_way();
  }
  [[nodiscard]] const char* broken_invariant() const override { return worker_.broken_invariant(); }

 private:
  // ---- Data
  bool fetch(Ticket ticket, const proto::Pieces& pieces, const proto::Work*) override {
    transfers_.fetch(pieces, proto::kNoAgent, {}, [this, ticket] { worker_.fetched(ticket); });
    look_later();
    return false;
  }
  bool give_up(const proto::Work&) override {
    if (machine_.below(2) == 0) return true;
    look_later();
    return false;
  }
  // ---- Hands
  void give_back(proto::GivenBack answer) override { machine_.give_back(self_, std::move(answer)); }
  void task_is_here() override { run_later(); }
  void end_wait(proto::TaskId task, proto::FailurePtr) override {
    running_ += 1;
    machine_.later([this, task] { machine_.bodies().go_on(task); });
  }
  void take_answer(proto::RegionMade made) override { machine_.bodies().answer(made); }
  void take_answer(proto::Allocated allocated) override { machine_.bodies().answer(allocated); }
  // ---- Ears
  void asked(const proto::Fetch& wanted, proto::AgentId by) override {
    transfers_.give(wanted, by);
    look_later();
  }
  void look() override {
    transfers_.settle();
    worker_.look_ahead();
  }

  void look_later() {
    machine_.later([this] { look(); });
  }
  // A thread has nothing to do, perhaps.
  void run_later() {
    machine_.later([this] {
      if (running_ >= threads_) return;
      const std::optional<proto::Work> work = worker_.take();
      if (!work) return;
      running_ += 1;
      worker_.look_ahead();
      machine_.bodies().begin(self_, *work);
    });
  }

  Machine& machine_;
  const proto::AgentId self_;
  const unsigned threads_;
  unsigned running_ = 0;  // tasks that do not wait
  Network::End end_;
  cluster::mpi::Transfers transfers_;
  sched::Worker worker_;
};

}  // namespace myr::sim_test
