// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/sim/chip_machine.hpp"
#include "cluster/threads/tree_machine.hpp"
#include "graph/region_space.hpp"
#include "plat/clock.hpp"
#include "runtime/agent_report.hpp"
#include "runtime/report.hpp"
#include "runtime/settings.hpp"
#include "trace/output.hpp"

namespace myr::runtime {

namespace {

enum Code { kOk = 0, kCannotStart = -1, kFinished = -2 };

// All of this is used by the main thread only; workers know their Engine.
struct Process {
  graph::RegionSpace* space = nullptr;        // lives as long as the process
  std::unique_ptr<trace::Output> output;      // nullptr: no files are wanted
  std::unique_ptr<engine::Engine> engine;     // of serial and smp
  std::unique_ptr<cluster::Machine> cluster;  // of the others; one of the two exists
  Settings settings;
  std::uint64_t start_ns = 0;
  std::uint64_t start_ticks = 0;
  bool finished = false;
  std::string error;
};

Process& process() {
  static auto* const the_process = new Process;  // outlives every static destructor of the program
  return *the_process;
}

std::string describe_exception(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& exception) {
    return base::format("\"{}\"", exception.what());
  } catch (...) {
    return "of a type that is not a std::exception";
  }
}

[[noreturn]] void report_lost(const std::exception_ptr& exception, const myr_site* site) {
  base::misuse(
      site,
      base::format("the task spawned here ended with an exception {} and no wait followed that "
                   "could rethrow it; call myr::wait_all() before the program ends",
                   describe_exception(exception)));
}

base::Result<bool> start_engine(Process& self) {
  const Machine& machine = self.settings.machine;
  auto output =
      trace::Output::open(self.settings.files, trace::worker_tracks(machine.worker_count));
  if (!output) return output.error();
  self.output = std::move(*output);
  trace::Recording* recording = self.output == nullptr ? nullptr : &self.output->recording();
  base::Result<graph::RegionSpace*> space = graph::RegionSpace::create();
  if (!space) return space.error();
  self.space = *space;
  const engine::EngineOptions options{.worker_count = machine.worker_count,
                                      .serial = machine.kind == Machine::Kind::Serial,
                                      .measure_time = self.settings.stats != Settings::Stats::None,
                                      .recording = recording,
                                      .chaos = self.settings.chaos};
  self.start_ns = plat::now_ns();
  self.start_ticks = plat::ticks();
  auto engine = engine::Engine::create(*self.space, options);
  if (!engine) return engine.error();
  self.engine = std::move(*engine);
  return true;
}

base::Result<bool> start_cluster(Process& self) {
  const Machine& machine = self.settings.machine;
  auto output = trace::Output::open(self.settings.files, cluster::tracks_of(*machine.topology));
  if (!output) return output.error();
  self.output = std::move(*output);
  cluster::Options& options = self.settings.agents;
  options.measures_time = self.settings.stats != Settings::Stats::None;
  options.recording = self.output == nullptr ? nullptr : &self.output->recording();
  auto cluster = machine.kind == Machine::Kind::Tree
                     ? cluster::threads::TreeMachine::create(*machine.topology, options)
                     : cluster::sim::ChipMachine::create(*machine.topology, *machine.chip, options);
  if (!cluster) return cluster.error();
  self.cluster = std::move(*cluster);
  return true;
}

base::Result<bool> start_machine(Process& self) {
  base::Result<Settings> settings = read_settings();
  if (!settings) return settings.error();
  self.settings = std::move(*settings);
  return self.settings.machine.topology ? start_cluster(self) : start_engine(self);
}

bool is_running(const Process& self) { return self.engine != nullptr || self.cluster != nullptr; }

void write_files(Process& self, const trace::Clock& clock) {
  if (self.output == nullptr) return;
  for (const std::string& remark : self.output->write(clock)) {
    base::print(stderr, "myrmidon: {}\n", remark);
  }
}

void report_agents(const Process& self) {
  const bool is_simulated = self.settings.machine.kind == Machine::Kind::Sim;
  const AgentReport report{.machine = self.settings.machine_name,
                           .unit = is_simulated ? AgentReport::Unit::Cycles : AgentReport::Unit::Ns,
                           .topology = self.cluster->topology(),
                           .usage = self.cluster->usage(),
                           .clock = self.cluster->clock()};
  if (self.settings.stats == Settings::Stats::Json) {
    print_as_json(report);
  } else {
    print(report);
  }
}

// These two do nothing after exit() inside a task: no tidy end is possible.

void finish_engine(Process& self) {
  engine::Worker* main_worker = engine::Worker::current();
  if (main_worker != &self.engine->worker(0)) return;
  if (main_worker->task()->parent != nullptr) return;
  main_worker->wait_all();
  if (const auto failure = main_worker->take_failure()) {
    report_lost(*static_cast<std::exception_ptr*>(failure->exception), failure->site);
  }
  const trace::Clock clock{.start_ticks = self.start_ticks,
                           .end_ticks = plat::ticks(),
                           .elapsed_ns = plat::now_ns() - self.start_ns};
  self.engine->stop();
  if (self.settings.stats == Settings::Stats::Table) {
    print_stats(*self.engine, self.settings.machine_name, clock);
  } else if (self.settings.stats == Settings::Stats::Json) {
    print_stats_as_json(*self.engine, self.settings.machine_name, clock);
  }
  write_files(self, clock);
  self.engine.reset();
  self.finished = true;
}

void finish_cluster(Process& self) {
  cluster::Seat* seat = cluster::Seat::current();
  if (seat != &self.cluster->main_seat() || !seat->task().is_main()) return;
  seat->wait_all();
  if (const auto failure = seat->take_failure()) report_lost(failure->exception, failure->site);
  seat->end_main();
  self.cluster->stop();
  if (self.settings.stats != Settings::Stats::None) report_agents(self);
  write_files(self, self.cluster->clock());
  self.cluster.reset();
  self.finished = true;
}

// For the end of the program: does a task still use local variables of main?
void check_locals_of_main(Process& self) {
  if (self.engine != nullptr && engine::Worker::current() == &self.engine->worker(0)) {
    engine::Worker& main_worker = *engine::Worker::current();
    if (main_worker.task()->parent == nullptr) main_worker.check_stack_lent_by_main();
  }
  cluster::Seat* seat = cluster::Seat::current();
  if (seat != nullptr && seat->task().is_main()) seat->main_returned();
}

}  // namespace

// After main() has returned, or called exit(): its local variables are gone, or about to be.
void finish_at_exit() {
  check_locals_of_main(process());
  finish();
}

int start() {
  Process& self = process();
  if (is_running(self)) return kOk;
  if (self.finished) return kFinished;
  base::Result<bool> started = start_machine(self);
  if (!started) {
    self.error = started.error().text;
    return kCannotStart;
  }
  std::atexit(finish_at_exit);
  return kOk;
}

void finish() {
  Process& self = process();
  if (self.engine != nullptr) finish_engine(self);
  if (self.cluster != nullptr) finish_cluster(self);
}

const char* error_text(int code) {
  switch (code) {
    case kOk:
      return "no error";
    case kCannotStart:
      return process().error.c_str();
    case kFinished:
      return "myr_finish() was called already; a process runs one machine, once";
    default:
      return "no such code";
  }
}

engine::Worker* worker_slow(const myr_site* site) {
  if (cluster::Seat::current() != nullptr) return nullptr;
  if (is_running(process())) {
    base::misuse(
        site,
        "called from a thread that Myrmidon did not start; call from main's thread or a task");
  }
  if (const int code = start(); code != kOk) base::misuse(site, error_text(code));
  return engine::Worker::current();
}

}  // namespace myr::runtime

int myr_init(void) { return myr::runtime::start(); }
void myr_finish(void) { myr::runtime::finish(); }
const char* myr_error_text(int code) { return myr::runtime::error_text(code); }
unsigned myr_worker_index(void) {
  myr::engine::Worker* worker = myr::runtime::worker(nullptr);
  return worker != nullptr ? worker->index() : myr::runtime::seat().index();
}
unsigned myr_worker_count(void) {
  myr::engine::Worker* worker = myr::runtime::worker(nullptr);
  return worker != nullptr ? worker->engine().worker_count() : myr::runtime::seat().count();
}
