// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.hpp"

#include <pthread.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "mem/heap.hpp"
#include "plat/exit.hpp"
#include "runtime/machine.hpp"
#include "runtime/settings.hpp"
#include "sync/cancelled_regions.hpp"
#include "trace/output.hpp"

namespace myr::runtime {

namespace {

enum Code { kOk = 0, kCannotStart = -1, kForked = -2 };

// Tasks know their context, so only starting, ending and foreign threads come here.
struct Process {
  std::mutex lock;                        // guards the rest
  std::unique_ptr<trace::Output> output;  // nullptr: no files are wanted
  std::unique_ptr<Machine> machine;       // while it runs
  Settings settings;
  bool finished = false;                  // and not started again
  std::optional<std::thread::id> ending;  // engaged: the process ends, by this thread
  bool forked = false;                    // from a process with a machine: its threads are not here
  std::string error;
};

Process& process() {
  static auto* const the_process = new Process;  // outlives every static destructor of the program
  return *the_process;
}

base::Result<bool> start_machine(Process& self) {
  base::Result<Settings> settings = read_settings();
  if (!settings) return settings.error();
  self.settings = std::move(*settings);
  const MachineChoice& choice = self.settings.machine;
  if (mem::Heap::exists()) mem::Heap::instance().destroy();  // of the machine before
  sync::CancelledRegions::clear();
  auto output = trace::Output::open(self.settings.files,
                                    choice.topology
                                        ? cluster::tracks_of(*choice.topology, choice.worker_count)
                                        : trace::worker_tracks(choice.worker_count));
  if (!output) return output.error();
  self.output = std::move(*output);
  auto machine =
      choice.start(self.settings, self.output == nullptr ? nullptr : &self.output->recording());
  if (!machine) return machine.error();
  self.machine = std::move(*machine);
  return true;
}

// To be called by main, whose children have all ended. `for_ever`: the process ends.
void stop_machine(Process& self, bool for_ever) {
  const std::scoped_lock lock(self.lock);
  if (for_ever) self.ending = std::this_thread::get_id();
  self.machine->finish_guests(for_ever);
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
base::ThreadContext* context_of_main() {
  base::ThreadContext* context = base::ThreadContext::current();
  return context != nullptr && context->runs_main() ? context : nullptr;
}

// By main.
void finish_main(base::ThreadContext& main, bool for_ever) {
  main.wait_all();
  if (const auto failure = main.take_failure()) base::report_lost(*failure);
  stop_machine(process(), for_ever);
}

// Main has returned, or somebody has called exit() in its thread. The local variables of main are
// gone, or about to be.
void main_thread_ends(void*) {
  if (base::ThreadContext* main = context_of_main()) {
    plat::begin_exit();
    main->main_returned();
    finish_main(*main, true);
  } else if (base::ThreadContext::current() != nullptr) {
    plat::cut_exit_short();
  }
}

// Of the machine this process has nothing but a copy of its memory. Whoever waits for a task here
// would wait for ever; so nobody has a context, and nothing is ended, printed or written.
void begin_as_child() {
  Process& self = process();
  engine::Worker::forget_thread();
  static_cast<void>(self.machine.release());
  static_cast<void>(self.output.release());
  self.forked = true;
}

}  // namespace

namespace {

// Has main's thread ended, or called exit()?
bool ends_elsewhere(const Process& self) {
  return self.ending && *self.ending != std::this_thread::get_id();
}

int start_locked(Process& self) {
  if (self.machine != nullptr) return kOk;
  base::Result<bool> started = start_machine(self);
  if (!started) {
    self.error = started.error().text;
    return kCannotStart;
  }
  self.finished = false;
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, begin_as_child);
  plat::at_thread_end(main_thread_ends, nullptr);
  return kOk;
}

}  // namespace

int start() {
  Process& self = process();
  if (self.forked) return kForked;
  std::unique_lock lock(self.lock);
  if (ends_elsewhere(self)) {
    lock.unlock();
    plat::wait_for_exit();
    lock.lock();
    self.ending.reset();
  }
  return start_locked(self);
}

void finish() {
  if (base::ThreadContext* main = context_of_main()) finish_main(*main, false);
}

const char* error_text(int code) {
  switch (code) {
    case kOk:
      return "no error";
    case kCannotStart:
      return process().error.c_str();
    case kForked:
      return "this process was forked from one that runs Myrmidon: after fork() it may only exit, "
             "or become another program by exec(); it has neither tasks nor regions";
    default:
      return "no such code";
  }
}

void report_no_memory(const myr_site* site) {
  base::misuse(site,
               "no memory left for the records of tasks and accesses; spawn fewer, larger tasks, "
               "wait for some before spawning more, or raise the limit (ulimit -v)");
}

void report_no_memory_for(std::size_t closure_bytes, std::size_t access_count,
                          const myr_site* site) {
  base::misuse(site,
               base::format("no memory for a task with {} accesses and a closure of {} bytes; "
                            "is a count of rows or elements negative?",
                            access_count, closure_bytes));
}

base::ThreadContext& find_context(const myr_site* site) {
  Process& self = process();
  if (self.forked) base::misuse(site, error_text(kForked));
  std::unique_lock lock(self.lock);
  if (ends_elsewhere(self)) {
    lock.unlock();
    plat::wait_for_exit();  // it is as if the process had ended already
    base::misuse(site, engine::kMainsThreadHasEnded);
  }
  if (self.finished) {
    base::misuse(site,
                 "called after myr_finish(); call myr_init() first to start again (what was "
                 "allocated before is gone)");
  }
  if (self.machine == nullptr) {
    if (const int code = start_locked(self); code != kOk) base::misuse(site, error_text(code));
  } else if (const char* const reason = self.machine->admit(); reason != nullptr) {
    base::misuse(site, base::format("called from a thread that Myrmidon did not start: on {} {}; "
                                    "call from main's thread or from a task",
                                    self.settings.machine_name, reason));
  }
  return *base::ThreadContext::current();
}

}  // namespace myr::runtime

int myr_init(void) { return myr::runtime::start(); }
void myr_finish(void) { myr::runtime::finish(); }
const char* myr_error_text(int code) { return myr::runtime::error_text(code); }
