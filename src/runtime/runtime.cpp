// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.hpp"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "base/refusal.hpp"
#include "engine/error_watch.hpp"
#include "engine/observer.hpp"
#include "mem/heap.hpp"
#include "plat/exit.hpp"
#include "plat/task_stack.hpp"
#include "plat/thread.hpp"
#include "plat/thread_slot.hpp"
#include "runtime/job.hpp"
#include "runtime/machine.hpp"
#include "runtime/sanitized_context.hpp"
#include "runtime/settings.hpp"
#include "sync/cancelled_regions.hpp"
#include "sync/events.hpp"
#include "sync/made_objects.hpp"
#include "trace/output.hpp"

namespace myr::runtime {

namespace {

enum Code { kOk = 0, kCannotStart = -1, kRuns = -2, kRunsNot = -3, kCountsLater = -4 };

constexpr const char* kFinished =
    "called after myr_finish(); call myr_init() first to start again (what was allocated before is "
    "gone)";
constexpr const char* kMainsThreadHasEnded =
    "called after the thread that made the first call has ended: where no other threads may call, "
    "that thread is main's, and all ends with it; make the first call in a thread that lives on, "
    "or call myr_init() to start again (what was allocated before is gone)";
constexpr const char* kProcessHasEnded =
    "called when the process has ended already, behind the destructors of all static objects";

// Tasks know their context, so only starting, ending and foreign threads come here.
struct Process {
  std::mutex lock;                        // guards the rest
  std::unique_ptr<trace::Output> output;  // nullptr: no files are wanted
  std::unique_ptr<Machine> machine;       // while it runs
  Wishes wishes;                          // of the program, for the next machine
  Settings settings;                      // the machine's
  const char* gone = nullptr;             // why no call but myr_init() starts another machine
  bool main_is_over = false;              // it has returned, or called exit()
  std::optional<std::thread::id> ending;  // engaged: nothing is to come, says this thread
  unsigned caller_count = 0;              // threads that have called, and have not ended
  std::condition_variable caller_ends;
  std::string error;
  const Process* forked_from = nullptr;
};

Process*& the_process() {
  static auto* process = new Process;  // outlives every static destructor of the program
  return process;
}
Process& process() { return *the_process(); }

// An mpi job has no machine before main begins, or after it has returned. What tasks there are then
// run in the process alone.
void settle_machine(const Process& self, Settings& settings) {
  if (settings.machine.is_job && (self.main_is_over || is_outside_of_job())) {
    settings.machine = serial();
    settings.stats = Settings::Stats::None;
    settings.files = {};
  }
  settings.has_main = plat::is_first_thread() || !settings.machine.has_guests;
}

void destroy_heap() {
  if (!mem::Heap::exists()) return;
  if (teller.load(sync::relaxed) != nullptr) SanitizedContext::instance().forget_memory();
  mem::Heap::instance().destroy();
}

base::Result<bool> start_machine(Process& self) {
  base::Result<Settings> settings = read_settings(self.wishes);
  if (!settings) return settings.error();
  settle_machine(self, *settings);
  self.settings = std::move(*settings);
  plat::set_task_stack_mib(self.settings.stack_mib);
  if (plat::is_first_thread()) plat::enlarge_first_stack();
  const MachineChoice& choice = self.settings.machine;
  destroy_heap();  // of the machine before
  sync::CancelledRegions::clear();
  sync::MadeObjects::clear();
  auto output = trace::Output::open(self.settings.files,
                                    choice.topology
                                        ? cluster::tracks_of(*choice.topology, choice.worker_count)
                                        : trace::worker_tracks(choice.worker_count));
  if (!output) return output.error();
  self.output = std::move(*output);
  SanitizedContext* const sanitized =
      is_sanitized(choice.is_job) ? &SanitizedContext::instance() : nullptr;
  if (sanitized != nullptr) sanitized->begin(choice.topology.has_value());
  teller.store(sanitized, sync::relaxed);
  engine::MainPlace::begin(self.settings.stats != Settings::Stats::None);
  engine::Worker::set_called_directly(sanitized == nullptr);
  auto machine =
      choice.start(self.settings, self.output == nullptr ? nullptr : &self.output->recording());
  if (!machine) return machine.error();
  self.machine = std::move(*machine);
  return true;
}

// Main's children have all ended; it calls, if there is one. `for_ever`: the process ends.
void stop_locked(Process& self, bool for_ever) {
  if (for_ever) self.ending = std::this_thread::get_id();
  self.machine->finish_guests(for_ever);
  self.machine->stop();
  if (teller.load(sync::relaxed) != nullptr) SanitizedContext::instance().finish();
  if (self.settings.stats != Settings::Stats::None) {
    Report report = self.machine->report();
    if (const auto lines = self.machine->lines(); !lines.empty()) {
      report.lines = report_lines(lines, ns_per_tick(report.clock),
                                  self.settings.machine.topology.has_value());
    }
    self.settings.stats == Settings::Stats::Table
        ? print(report, self.settings.machine_name)
        : print_as_json(report, self.settings.machine_name);
  }
  if (self.output != nullptr) {
    for (const std::string& remark : self.output->write(self.machine->clock())) {
      base::print(stderr, "myrmidon: {}\n", remark);
    }
  }
  self.machine.reset();
}

// ---- what the calling thread is -----------------------------------------------------------------

enum class Role : std::uint8_t { Stranger, Main, Guest, Task };
Role role_of(const base::ThreadContext* context) {
  if (context == nullptr) return Role::Stranger;
  if (context->is_guest()) return Role::Guest;
  return context->runs_main() ? Role::Main : Role::Task;
}

void wait_as_main() {
  static constexpr myr_site kEnd{nullptr, "the end of main", 0, 0};
  const MainWaits waits(&kEnd);
  base::ThreadContext& main = told(*base::ThreadContext::current());
  main.wait_all();
  if (const auto failure = main.take_failure()) base::report_lost(*failure);
}

// Nobody else can stop a machine that has a main.
bool may_stop(const Process& self, Role role) {
  if (self.machine == nullptr || role == Role::Task) return false;
  return role == Role::Main || !self.settings.has_main;
}

// ---- the end of a thread ------------------------------------------------------------------------

// Not null: the thread is among Process::caller_count.
plat::ThreadSlot& is_caller() {
  static plat::ThreadSlot slot;
  return slot;
}

// Main has returned, or somebody has called exit() in its thread. Destructors of static objects may
// still make calls, but where the end of the machine is bound to that of main.
void main_ends(Process& self) {
  base::ThreadContext::current()->main_ends(plat::frames_kept_by_exit());
  wait_as_main();
  const std::scoped_lock lock(self.lock);
  self.main_is_over = true;
  if (self.settings.machine.is_job) {
    stop_locked(self, false);
  } else if (!plat::is_first_thread()) {
    stop_locked(self, false);
    self.gone = kMainsThreadHasEnded;
  }
}

// The last thread that called has ended, and main has left by pthread_exit(). So nobody ends the
// machine; and while it is there, the process does not end.
void stop_if_nobody_is_left(Process& self) {
  const std::scoped_lock lock(self.lock);
  if (self.caller_count == 0 && may_stop(self, Role::Stranger) && plat::first_thread_is_gone()) {
    stop_locked(self, false);
  }
}

void leave_process(Process& self) {
  is_caller().set(nullptr);
  const std::scoped_lock lock(self.lock);
  self.caller_count -= 1;
  self.caller_ends.notify_all();
}

// The calling thread ends, or calls exit().
void thread_ends(void*) {
  if (plat::exit_interrupts_library()) return plat::cut_exit_short();
  Process& self = process();
  const Role role = role_of(base::ThreadContext::current());
  if (role == Role::Task) return plat::cut_exit_short();
  if (role == Role::Main) main_ends(self);
  engine::Guest::detach_thread();
  SanitizedContext::children_have_ended();
  if (is_caller().get() == nullptr) return;
  leave_process(self);
  if (role == Role::Guest) stop_if_nobody_is_left(self);
}

// The process's first thread has called pthread_exit(). Other threads that have called go on, and
// this one waits for them: a process that has no other threads than ours would never end.
void first_thread_exits() {
  Process& self = process();
  const Role role = role_of(base::ThreadContext::current());
  if (role == Role::Main) {
    base::ThreadContext::current()->main_ends(nullptr);
    wait_as_main();
  }
  engine::Guest::detach_thread();
  leave_process(self);
  std::unique_lock lock(self.lock);
  self.caller_ends.wait(lock, [&] { return self.caller_count == 0; });
  if (may_stop(self, role)) stop_locked(self, false);
}

void note_caller_locked(Process& self) {
  if (is_caller().get() != nullptr) return;
  is_caller().set(&self);
  self.caller_count += 1;
  plat::at_thread_end(thread_ends, nullptr);
  if (plat::is_first_thread()) plat::at_first_thread_exit(first_thread_exits);
}

// ---- the end of the process, and a new one ------------------------------------------------------

// Behind the destructors of static objects; or somebody unloads this library, which no thread uses.
[[gnu::destructor(101)]] void library_ends() {
  Process& self = process();
  const Role role = role_of(base::ThreadContext::current());
  if (role == Role::Main) wait_as_main();
  if (teller.load(sync::relaxed) != nullptr) SanitizedContext::instance().tell_reachable();
  const std::scoped_lock lock(self.lock);
  if (!may_stop(self, role)) return;
  stop_locked(self, true);
  engine::Worker::forget_thread();
}

// The child knows nothing of the machine, whose memory it has a copy of: its next call starts one.
void begin_as_child() {
  if (auto* const context = base::ThreadContext::current()) context->disown();
  engine::Worker::forget_thread();
  engine::Guest::forget_thread();
  plat::forget_this_thread();
  sync::Events::forget();
  sync::CancelledRegions::forget();
  sync::MadeObjects::forget();
  engine::ErrorWatch::forget();
  if (teller.load(sync::relaxed) != nullptr) SanitizedContext::forget();
  auto* const child = new Process;
  child->wishes = process().wishes;
  child->forked_from = std::exchange(the_process(), child);
  if (is_caller().get() == nullptr) return;
  child->caller_count = 1;
  plat::at_first_thread_exit(first_thread_exits);
}

int start_locked(Process& self) {
  if (self.machine != nullptr) return kOk;
  base::Result<bool> started = start_machine(self);
  if (!started) {
    self.error = started.error().text;
    return kCannotStart;
  }
  self.gone = nullptr;
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, begin_as_child);
  if (self.settings.has_main) note_caller_locked(self);
  return kOk;
}

// When the process ends, other threads do not come back from a call.
void check_ending(const Process& self, std::unique_lock<std::mutex>& lock, const myr_site* site) {
  if (!self.ending) return;
  if (*self.ending == std::this_thread::get_id()) base::misuse(site, kProcessHasEnded);
  lock.unlock();
  plat::wait_for_exit();
}

}  // namespace

bool is_over() {
  if (base::ThreadContext::current() != nullptr) return false;
  Process& self = process();
  const std::scoped_lock lock(self.lock);
  if (self.machine != nullptr) return false;
  return self.gone != nullptr || self.main_is_over || self.ending || self.forked_from != nullptr;
}

int start() {
  Process& self = process();
  std::unique_lock lock(self.lock);
  check_ending(self, lock, nullptr);
  if (self.machine == nullptr) {
    self.wishes.clear();
    engine::observer = nullptr;
  }
  return start_locked(self);
}

int start(const myr_config* config) {
  Process& self = process();
  std::unique_lock lock(self.lock);
  check_ending(self, lock, nullptr);
  if (self.machine != nullptr) return kRuns;
  base::Result<Wishes> wishes = config == nullptr ? Wishes() : wishes_of(*config);
  if (!wishes) {
    self.error = wishes.error().text;
    return kCannotStart;
  }
  self.wishes = std::move(*wishes);
  engine::observer = config == nullptr ? nullptr : config->observer;
  if (config != nullptr && config->on_error != nullptr) base::set_error_handler(config->on_error);
  return start_locked(self);
}

void finish() {
  Process& self = process();
  const Role role = role_of(base::ThreadContext::current());
  if (role == Role::Main) wait_as_main();
  const std::scoped_lock lock(self.lock);
  if (!may_stop(self, role)) return;
  stop_locked(self, false);
  self.gone = kFinished;
}

void begin_main() {
  finish();
  process().gone = nullptr;
  destroy_heap();
}

MainWaits::MainWaits(const myr_site* site) noexcept
    : is_main_(role_of(base::ThreadContext::current()) == Role::Main) {
  using engine::Place;
  if (is_main_) before_ = engine::MainPlace::move_to({.kind = Place::Kind::Wait, .site = site});
}

int statistics(myr_statistics& filled) {
  check_filled(filled.size, sizeof filled.size, "myr_statistics");
  Process& self = process();
  const std::scoped_lock lock(self.lock);
  if (self.machine == nullptr) return kRunsNot;
  myr_statistics counted = {};
  if (!self.machine->count(counted)) return kCountsLater;
  counted.size = filled.size;
  std::memcpy(&filled, &counted, std::min(filled.size, sizeof counted));
  return kOk;
}

const char* error_text(int code) {
  switch (code) {
    case kOk:
      return "no error";
    case kCannotStart:
      return process().error.c_str();
    case kRuns:
      return "a machine runs already: the first call of any function starts one; call myr_finish() "
             "before myr_start()";
    case kRunsNot:
      return "no machine runs: nothing is counted before the first call and behind myr_finish()";
    case kCountsLater:
      return "on this machine schedulers count, and give their numbers when they stop: run the "
             "program with --stats";
    default:
      return "no such code";
  }
}

void report_no_memory(const myr_site* site) {
  base::misuse(site,
               "no memory left for the records of tasks and accesses; spawn fewer, larger tasks, "
               "wait for some before spawning more, or raise the limit (ulimit -v)");
}

void refuse_unfilled(const char* type) {
  base::misuse(nullptr, base::format("a {0} without its size: set size = sizeof({0})", type));
}

void refuse_nothing(const myr_site* site, const char* what) {
  base::refuse(site, base::format("the pointer to the {} is null", what));
}

void refuse_no_mode(const myr_access& access, std::size_t number, const myr_site* site) {
  base::refuse(
      site, base::format("access {} does not say what it is for: its flags, {:#x}, have neither "
                         "MYR_IN, MYR_OUT, MYR_INOUT nor MYR_VALUE; write myr_in(p), myr_out(p) or "
                         "myr_inout(p) for what the pointer p names",
                         number + 1, static_cast<unsigned>(access.flags)));
}

void report_no_memory_for(std::size_t closure_bytes, std::size_t access_count,
                          const myr_site* site) {
  std::string text = base::format(
      "no memory for a task with {} accesses and a closure of {} bytes; is a count of rows or "
      "elements negative?",
      access_count, closure_bytes);
  base::hand_over({site, std::move(text), MYR_NO_MEMORY}, false);
  MYR_ASSERT(false);
}

base::ThreadContext& find_context(const myr_site* site) {
  Process& self = process();
  std::unique_lock lock(self.lock);
  check_ending(self, lock, site);
  if (self.machine == nullptr && self.gone != nullptr) base::misuse(site, self.gone);
  if (const int code = start_locked(self); code != kOk) base::misuse(site, error_text(code));
  if (base::ThreadContext::current() == nullptr) {
    if (const char* const reason = self.machine->admit(); reason != nullptr) {
      base::misuse(site, base::format("called from a thread that Myrmidon did not start: on {} {}; "
                                      "call from main's thread or from a task",
                                      self.settings.machine_name, reason));
    }
    note_caller_locked(self);
  }
  return *base::ThreadContext::current();
}

}  // namespace myr::runtime

int myr_init(void) { return myr::runtime::start(); }
int myr_start(const myr_config* config) { return myr::runtime::start(config); }
void myr_finish(void) { myr::runtime::finish(); }
myr_error_handler myr_set_error_handler(myr_error_handler handler) {
  const myr_error_handler before = myr::base::set_error_handler(handler);
  if (handler != nullptr) myr::engine::ErrorWatch::begin();
  return before;
}
int myr_get_statistics(myr_statistics* statistics) { return myr::runtime::statistics(*statistics); }
const char* myr_error_text(int code) { return myr::runtime::error_text(code); }
