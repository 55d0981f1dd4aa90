// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "runtime/machine.hpp"
#include "runtime/settings.hpp"
#include "trace/output.hpp"

namespace myr::runtime {

namespace {

enum Code { kOk = 0, kCannotStart = -1, kFinished = -2 };

// All of this is used by the main thread only; tasks know their seat.
struct Process {
  std::unique_ptr<trace::Output> output;  // nullptr: no files are wanted
  std::unique_ptr<Machine> machine;       // while it runs
  Settings settings;
  bool finished = false;
  std::string error;
};

Process& process() {
  static auto* const the_process = new Process;  // outlives every static destructor of the program
  return *the_process;
}

[[noreturn]] void report_lost(const base::Failure& failure) {
  base::misuse(
      failure.site,
      base::format("the task spawned here ended with an exception {} and no wait followed that "
                   "could rethrow it; call myr::wait_all() before the program ends",
                   failure.exception.describe()));
}

base::Result<bool> start_machine(Process& self) {
  base::Result<Settings> settings = read_settings();
  if (!settings) return settings.error();
  self.settings = std::move(*settings);
  const MachineChoice& choice = self.settings.machine;
  auto output = trace::Output::open(self.settings.files,
                                    choice.topology ? cluster::tracks_of(*choice.topology)
                                                    : trace::worker_tracks(choice.worker_count));
  if (!output) return output.error();
  self.output = std::move(*output);
  auto machine =
      choice.start(self.settings, self.output == nullptr ? nullptr : &self.output->recording());
  if (!machine) return machine.error();
  self.machine = std::move(*machine);
  return true;
}

// To be called by main, whose children have all ended.
void stop_machine(Process& self) {
  self.machine->stop();
  if (self.settings.stats == Settings::Stats::Table) {
    print(self.machine->report(), self.settings.machine_name);
  } else if (self.settings.stats == Settings::Stats::Json) {
    print_as_json(self.machine->report(), self.settings.machine_name);
  }
  if (self.output != nullptr) {
    for (const std::string& remark : self.output->write(self.machine->clock())) {
      base::print(stderr, "myrmidon: {}\n", remark);
    }
  }
  self.machine.reset();
  self.finished = true;
}

// nullptr: another thread, or inside a task.
base::Seat* seat_of_main() {
  base::Seat* seat = base::Seat::current();
  return seat != nullptr && seat->runs_main() ? seat : nullptr;
}

}  // namespace

// After main() has returned, or called exit(): its local variables are gone, or about to be.
void finish_at_exit() {
  if (base::Seat* main = seat_of_main()) main->main_returned();
  finish();
}

int start() {
  Process& self = process();
  if (self.machine != nullptr) return kOk;
  if (self.finished) return kFinished;
  base::Result<bool> started = start_machine(self);
  if (!started) {
    self.error = started.error().text;
    return kCannotStart;
  }
  std::atexit(finish_at_exit);
  return kOk;
}

// Does nothing after exit() inside a task: no tidy end is possible.
void finish() {
  base::Seat* main = seat_of_main();
  if (main == nullptr) return;
  main->wait_all();
  if (const auto failure = main->take_failure()) report_lost(*failure);
  stop_machine(process());
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

base::Seat& find_seat(const myr_site* site) {
  if (process().machine != nullptr) {
    base::misuse(
        site,
        "called from a thread that Myrmidon did not start; call from main's thread or a task");
  }
  if (const int code = start(); code != kOk) base::misuse(site, error_text(code));
  return *base::Seat::current();
}

}  // namespace myr::runtime

int myr_init(void) { return myr::runtime::start(); }
void myr_finish(void) { myr::runtime::finish(); }
const char* myr_error_text(int code) { return myr::runtime::error_text(code); }
