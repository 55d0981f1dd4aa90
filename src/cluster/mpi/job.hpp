// SPDX-License-Identifier: Apache-2.0
//
// Job: the processes of a program that a launcher of MPI has started together: rank 0 runs main,
// and the machine when main starts it; the others serve that machine as its agents, whenever there
// is one, until rank 0 ends.
//
// Threads: main's of each process.
#pragma once

#include <memory>
#include <optional>

#include "base/result.hpp"
#include "cluster/machine.hpp"
#include "cluster/mpi/faults.hpp"
#include "cluster/mpi/greeting.hpp"
#include "cluster/mpi/modules.hpp"
#include "cluster/mpi/post.hpp"
#include "cluster/mpi/variables.hpp"

namespace myr::cluster::mpi {

// All processes reserve the same addresses, and may use them all. Returns those of the regions.
[[nodiscard]] base::Result<proto::PageRun> new_heap();

class Job {
 public:
  // All ranks do, once. `launched`: by whom. Error: MPI cannot be used.
  [[nodiscard]] static base::Result<std::unique_ptr<Job>> join(
      const transport::mpi::Launched& launched);
  // Then all do this. `own`: what this rank has been told, and which threads it has. Error: rank 0
  // has found a mistake; the others do not come back then.
  [[nodiscard]] base::Result<bool> greet(Greeting own);
  // Faults that nobody handled before MPI came are reported from now on.
  void report_faults() const { mpi::report_faults(unhandled_faults_); }

  [[nodiscard]] Rank& rank() noexcept { return *rank_; }
  [[nodiscard]] const Modules& modules() const noexcept { return modules_; }

  // On rank 0, for tests: finds out which variables main changes from now on.
  void find_changes() { variables_.emplace(modules_); }
  // On rank 0: makes the caller main of a machine. REQUIRES: as many ranks as agents, and no other
  // machine at the time.
  [[nodiscard]] base::Result<std::unique_ptr<Machine>> start(sched::Topology topology,
                                                             const Options& options);
  // The process is about to end. Rank 0 lets the others go, too; those that run main wait for that.
  void end();

  // On others: an agent whenever there is a machine. Returns when rank 0 ends. Error: the system
  // refuses something.
  [[nodiscard]] base::Result<bool> serve(const sched::Topology& topology, const Options& options);

 private:
  explicit Job(std::unique_ptr<Rank> rank) : rank_(std::move(rank)) {}
  [[nodiscard]] base::Result<bool> serve_once(const sched::Topology& topology,
                                              const Options& options, const proto::Start& wishes);
  [[nodiscard]] Post::Notice await_notice();

  Modules modules_;  // before MPI is loaded; the next one, too
  const sigset_t unhandled_faults_ = unhandled_faults();
  std::unique_ptr<Rank> rank_;
  std::optional<Variables> variables_;
};

}  // namespace myr::cluster::mpi
