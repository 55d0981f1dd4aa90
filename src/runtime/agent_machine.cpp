// SPDX-License-Identifier: Apache-2.0
//
// `tree`, `master`, `mpi` and `sim`: schedulers and workers that exchange messages, or a master
// with its workers.
#include <utility>

#include "cluster/master/scc_machine.hpp"
#include "cluster/master/thread_machine.hpp"
#include "cluster/mpi/spmd_machine.hpp"
#include "cluster/sim/chip_machine.hpp"
#include "cluster/threads/tree_machine.hpp"
#include "runtime/job.hpp"
#include "runtime/machine.hpp"
#include "runtime/settings.hpp"

namespace myr::runtime {

namespace {

using cluster::AgentUsage;

class AgentMachine final : public Machine {
 public:
  AgentMachine(std::unique_ptr<cluster::Machine> agents, Report::Unit unit, bool is_job)
      : agents_(std::move(agents)), unit_(unit), is_job_(is_job) {}

  const char* admit() override { return agents_->admit(); }
  void finish_guests(bool for_ever) override { agents_->finish_guests(for_ever); }
  void stop() override { agents_->stop(); }

  [[nodiscard]] trace::Clock clock() const override { return agents_->clock(); }

  [[nodiscard]] Report report() const override {
    const sched::Topology& topology = agents_->topology();
    return {
        .unit = unit_,
        .clock = clock(),
        .groups = {group("worker", topology.workers(),
                         {{"in tasks", "task", &AgentUsage::task_ticks, Report::kTime},
                          {"in the runtime", "runtime", &AgentUsage::runtime_ticks, Report::kTime},
                          {nullptr, "memory", &AgentUsage::memory_ticks, Report::kTime},
                          {"waiting", "wait", &AgentUsage::wait_ticks, Report::kTime},
                          {"idle", "idle", &AgentUsage::idle_ticks, Report::kTime},
                          {"tasks run", "tasks", &AgentUsage::tasks},
                          {"messages taken", "messages", &AgentUsage::messages},
                          {"bytes of these", "message_bytes", &AgentUsage::message_bytes},
                          {"bytes fetched", "dma_bytes", &AgentUsage::fetched_bytes},
                          {"tasks replayed", "replayed", &AgentUsage::replayed_tasks},
                          {is_job_ ? "tasks that had to stay" : nullptr, is_job_ ? "kept" : nullptr,
                           &AgentUsage::kept_tasks}}),
                   group("scheduler", topology.schedulers(),
                         {{nullptr, "task", &AgentUsage::task_ticks, Report::kTime},
                          {"scheduling", "runtime", &AgentUsage::runtime_ticks, Report::kTime},
                          {"memory", "memory", &AgentUsage::memory_ticks, Report::kTime},
                          {nullptr, "wait", &AgentUsage::wait_ticks, Report::kTime},
                          {"idle", "idle", &AgentUsage::idle_ticks, Report::kTime},
                          {nullptr, "tasks", &AgentUsage::tasks},
                          {"messages taken", "messages", &AgentUsage::messages},
                          {"bytes of these", "message_bytes", &AgentUsage::message_bytes},
                          {nullptr, "dma_bytes", &AgentUsage::fetched_bytes},
                          {nullptr, "conflicts", &AgentUsage::conflicts},
                          {nullptr, "false_conflicts", &AgentUsage::false_conflicts}})}};
  }

  [[nodiscard]] std::vector<const engine::LineTimes*> lines() const override {
    return agents_->lines();
  }

 private:
  [[nodiscard]] Report::Group group(
      const char* kind, const std::vector<sched::AgentId>& agents,
      std::initializer_list<Report::Column<AgentUsage, std::uint64_t>> columns) const {
    const std::vector<AgentUsage> usage = agents_->usage();
    std::vector<unsigned> levels;
    std::vector<AgentUsage> own;
    for (const sched::AgentId agent : agents) {
      levels.push_back(agents_->topology().level(agent));
      own.push_back(usage[agent]);
    }
    return Report::group(kind, std::move(levels), own, columns);
  }

  std::unique_ptr<cluster::Machine> agents_;
  Report::Unit unit_;
  bool is_job_;  // of several processes
};

cluster::Options agent_options(const Settings& settings, trace::Recording* recording) {
  cluster::Options options = settings.agents;
  options.has_main = settings.has_main;
  options.measures_time = settings.stats != Settings::Stats::None;
  options.recording = recording;
  return options;
}

using Started = base::Result<std::unique_ptr<cluster::Machine>>;

base::Result<std::unique_ptr<Machine>> wrap(Started agents, Report::Unit unit,
                                            bool is_job = false) {
  if (!agents) return agents.error();
  return std::unique_ptr<Machine>(new AgentMachine(std::move(*agents), unit, is_job));
}

}  // namespace

cluster::Options node_options(const Settings& settings, trace::Recording* recording) {
  cluster::Options options = agent_options(settings, recording);
  options.threads = settings.machine.worker_count;
  return options;
}

base::Result<std::unique_ptr<Machine>> start_tree(const Settings& settings,
                                                  trace::Recording* recording) {
  return wrap(cluster::threads::TreeMachine::create(*settings.machine.topology,
                                                    node_options(settings, recording)),
              Report::Unit::Ns);
}

base::Result<std::unique_ptr<Machine>> start_job(const Settings& settings,
                                                 trace::Recording* recording) {
  cluster::mpi::Job* const job = joined_job();
  const sched::Topology& topology = *settings.machine.topology;
  if (job == nullptr) return not_launched(settings);
  if (auto fits = check_rank_count(*job, settings); !fits) return fits.error();
  const cluster::Options options = node_options(settings, recording);
  return wrap(settings.machine.is_spmd ? cluster::mpi::start_spmd(*job, topology, options)
                                       : job->start(topology, options),
              Report::Unit::Ns, /*is_job=*/true);
}

base::Result<std::unique_ptr<Machine>> start_chip(const Settings& settings,
                                                  trace::Recording* recording) {
  const MachineChoice& machine = settings.machine;
  return wrap(cluster::sim::ChipMachine::create(*machine.topology, *machine.chip,
                                                agent_options(settings, recording)),
              Report::Unit::Cycles);
}

base::Result<std::unique_ptr<Machine>> start_master(const Settings& settings,
                                                    trace::Recording* recording) {
  return wrap(cluster::master::ThreadMachine::create(settings.machine.worker_count,
                                                     agent_options(settings, recording)),
              Report::Unit::Ns);
}

base::Result<std::unique_ptr<Machine>> start_scc(const Settings& settings,
                                                 trace::Recording* recording) {
  return wrap(cluster::master::SccMachine::create(settings.machine.worker_count,
                                                  agent_options(settings, recording)),
              Report::Unit::Cycles);
}

}  // namespace myr::runtime
