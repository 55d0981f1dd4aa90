// SPDX-License-Identifier: Apache-2.0
#include "runtime/job.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string_view>
#include <thread>

#include "base/bits.hpp"
#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/mpi/vigil.hpp"
#include "plat/file.hpp"
#include "runtime/machine.hpp"
#include "runtime/runtime.hpp"
#include "runtime/settings.hpp"

namespace myr::runtime {

namespace {

using cluster::mpi::Job;

// What the process has of a job. Nothing destroys it: the end of the process ends it.
struct Membership {
  Job* job = nullptr;
  pid_t process = 0;  // that has joined; not one that is forked from it
  bool has_ended = false;
};
constinit Membership membership;

// The end of a process that cannot take part. Mostly none of them can: then the first one says so,
// and its end ends the others.
[[noreturn]] void refuse(unsigned rank, const std::string& text) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(cluster::mpi::patience_ns(rank)));
  base::misuse(nullptr, text);
}

bool is_named(std::string_view machine) {
  return machine.starts_with("mpi:") || machine.starts_with("spmd:");
}

// What the system tells of the process's parent.
std::string read_of_parent(std::string_view what) {
  return plat::read_file(base::format("/proc/{}/{}", getppid(), what));
}

// Has the launcher been told, in its environment or by an option, that its processes are to be one
// program? Then they are likely to wait for one that has been told something else.
bool launcher_names_job() {
  const std::string told = read_of_parent("environ") + read_of_parent("cmdline");
  return told.find("MYR_ON=mpi:") != std::string::npos ||
         told.find("MYR_ON=spmd:") != std::string::npos;
}

// The value that a process was started with; empty: it has none.
std::string first_value(const std::string& process, std::string_view name) {
  const std::string before = '\0' + std::string(name) + '=';
  const std::string variables = '\0' + plat::read_file("/proc/" + process + "/environ");
  const std::size_t found = variables.find(before);
  return found == std::string::npos ? "" : variables.c_str() + found + before.size();
}

// The machine of a process that this one's launcher has started on this computer and that takes no
// part in a job; empty: there is none, or it has ended.
std::string machine_of_stranger() {
  const std::string children = read_of_parent(base::format("task/{}/children", getppid()));
  std::size_t begin = 0;
  for (std::size_t end; (end = children.find(' ', begin)) != std::string::npos; begin = end + 1) {
    std::string machine = first_value(children.substr(begin, end - begin), "MYR_ON");
    if (!machine.empty() && !is_named(machine) && parse_machine(machine)) return machine;
  }
  return "";
}

// While MPI starts no process can say anything: one that is stopped then, or was never started, is
// only found out by the time that this takes.
class StartWatch {
 public:
  // `looks_around`: the process is of a job of which others may not know.
  StartWatch(unsigned rank, std::uint64_t silence_ns, bool looks_around) {
    if (silence_ns == 0) return;
    const std::uint64_t limit_ns = kSilences * silence_ns + cluster::mpi::patience_ns(rank);
    thread_ = std::thread([=, this] { watch(rank, limit_ns, looks_around); });
  }
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;
  ~StartWatch() {
    {
      const std::scoped_lock lock(lock_);
      has_started_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  static constexpr std::uint64_t kSilences = 10;
  static constexpr std::chrono::milliseconds kLook{100};

  void watch(unsigned rank, std::uint64_t limit_ns, bool looks_around) {
    std::unique_lock lock(lock_);
    const auto starts_within = [&](std::chrono::nanoseconds time) {
      return changed_.wait_for(lock, time, [this] { return has_started_; });
    };
    const auto limit = std::chrono::steady_clock::now() + std::chrono::nanoseconds(limit_ns);
    while (!starts_within(kLook)) {
      if (std::chrono::steady_clock::now() >= limit) refuse_to_wait(limit_ns);
      const std::string other = looks_around ? machine_of_stranger() : "";
      if (other.empty()) continue;
      // A launcher may take seconds to end the others when the first of them has said it.
      if (starts_within(3 * std::chrono::nanoseconds(cluster::mpi::patience_ns(rank)))) return;
      refuse_stranger(other);
    }
  }
  [[noreturn]] static void refuse_stranger(const std::string& other) {
    base::misuse(nullptr, base::format("MYR_ON={} here, and MYR_ON={} in another process that the "
                                       "same launcher has started: let all have the same",
                                       std::getenv("MYR_ON"), other));
  }
  [[noreturn]] static void refuse_to_wait(std::uint64_t limit_ns) {
    base::misuse(
        nullptr,
        base::format("the job has not started within {} s: a process has stopped, or could "
                     "not be started. That is {} times MYR_SILENCE; 0 waits for ever",
                     limit_ns / 1'000'000'000, kSilences));
  }

  std::mutex lock_;
  std::condition_variable changed_;
  bool has_started_ = false;
  std::thread thread_;
};

[[noreturn]] void serve(Job& job, const Settings& settings) {
  const auto served = job.serve(*settings.machine.topology, node_options(settings, nullptr));
  if (!served) base::misuse(nullptr, served.error().text);
  std::fflush(nullptr);
  _exit(EXIT_SUCCESS);
}

void end_job() {
  if (membership.process != getpid()) return;
  membership.job->end();
  membership.has_ended = true;
}

bool comes_to_main(const Settings& settings, unsigned rank) {
  const sched::Topology& topology = *settings.machine.topology;
  return rank == 0 ||
         (settings.machine.is_spmd && topology.is_worker(cluster::mpi::agent_at(topology, rank)));
}

// All workers of an SPMD program start together, whatever main does first; rank 0 reports.
void start_worker(unsigned rank) {
  if (rank != 0) unsetenv("MYR_STATS");
  if (const int code = start(); code != 0) base::misuse(nullptr, error_text(code));
}

// What all ranks must agree on, a line for each variable. What is printed at the end, and how, is
// for rank 0 alone.
std::string common_environment() {
  std::string text;
  for (const char* const name :
       {"MYR_ON", "MYR_CHAOS", "MYR_LOAD_PERCENT", "MYR_POISON", "MYR_SILENCE", "MYR_SPIN"}) {
    const char* const value = std::getenv(name);
    const bool is_set = value != nullptr && *value != 0;
    text += is_set ? base::format("{}={}\n", name, value) : base::format("no {}\n", name);
  }
  return text;
}

cluster::mpi::Greeting greeting_of(base::Result<Settings>& settings,
                                   const transport::mpi::Launched& launched) {
  cluster::mpi::Greeting own;
  own.environment = common_environment();
  if (!settings) {
    own.error = settings.error().text;
  } else if (settings->machine.is_job) {
    own.is_of_job = 1;
    const sched::Topology& topology = *settings->machine.topology;
    const bool is_agent = launched.rank < topology.agent_count();
    const bool runs_tasks =
        is_agent && topology.is_worker(cluster::mpi::agent_at(topology, launched.rank));
    own.threads = runs_tasks ? settings->machine.worker_count : 0;
  }
  return own;
}

// A launcher has started several processes, and nothing tells that they are to be one.
void warn_of_programs(const transport::mpi::Launched& launched) {
  if (launched.rank != 0) return;
  base::print(stderr,
              "myrmidon: the launcher has started {0} processes, and each runs the whole program "
              "by itself, as MYR_ON is not set. For one program on all of them: `myr run --on "
              "mpi:1+{1} PROGRAM`, or MYR_ON=mpi:1+{1} in the environment of each; if {0} "
              "programs are meant, MYR_ON=smp\n",
              launched.count, launched.count - 1);
}

// Is the process one of several that a launcher has started by itself, and could join the others? A
// program that calls MPI does that by itself.
bool is_one_of_several(const transport::mpi::Launched& launched) {
  if (launched.count < 2 || dlsym(RTLD_DEFAULT, "MPI_Init") != nullptr) return false;
  const std::string parent = read_of_parent("comm");
  constexpr std::string_view kLaunchers[] = {"hydra_pmi", "mpirun", "mpiexec", "orte", "prte"};
  return std::any_of(std::begin(kLaunchers), std::end(kLaunchers),
                     [&](std::string_view name) { return parent.starts_with(name); });
}

// Error: MPI cannot be used.
base::Result<std::unique_ptr<Job>> join_and_greet(const transport::mpi::Launched& launched,
                                                  base::Result<Settings>& settings) {
  const StartWatch watch(launched.rank,
                         settings ? settings->agents.silence_ns : cluster::Options{}.silence_ns,
                         settings && settings->machine.is_job && !launcher_names_job());
  auto job = Job::join(launched);
  if (!job) return job;
  if (auto greeted = (*job)->greet(greeting_of(settings, launched)); !greeted) {
    base::misuse(nullptr, greeted.error().text);
  }
  return job;
}

// Comes back on ranks that run main.
void join_job() {
  const auto launched = transport::mpi::launched();
  const char* const on = std::getenv("MYR_ON");
  const std::string_view machine(on == nullptr ? "" : on);
  base::Result<Settings> settings = read_settings({});
  const bool is_other = !machine.empty() && !is_named(machine) && parse_machine(machine);
  if (is_named(machine)) {
    begin_main();
  } else if (!is_one_of_several(*launched) || (is_other && !launcher_names_job())) {
    return;
  }
  base::set_rank(launched->rank);
  // Open MPI yields the processor in each look for messages if there are more ranks than cores, but
  // a thread that waits here sleeps anyway. In SPMD programs that wait in MPI themselves it may be
  // wanted. Another MPI does not know the variable.
  const int overwrites = settings && settings->machine.is_spmd ? 0 : 1;
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", overwrites);
  auto job = join_and_greet(*launched, settings);
  if (!job && (machine.empty() || is_other)) return;
  if (!job) refuse(launched->rank, settings ? job.error().text : settings.error().text);
  if (machine.empty()) warn_of_programs(*launched);
  if (machine.empty() || is_other) return (*job)->rank().leave();
  (*job)->report_faults();
  const char* const mpi = std::getenv("MYR_MPI");
  if (launched->rank == 0 && mpi != nullptr && *mpi != 0 && mpi != launched->mpi) {
    base::print(stderr, "myrmidon: MYR_MPI={} has no effect, as the launcher is that of {}\n", mpi,
                launched->mpi);
  }
  membership = {.job = job->release(), .process = getpid()};
  if (auto fits = check_rank_count(*membership.job, *settings); !fits) {
    refuse(launched->rank, fits.error().text);
  }
  if (launched->rank == 0 && settings->agents.poisons) membership.job->find_changes();
  if (!comes_to_main(*settings, launched->rank)) serve(*membership.job, *settings);
  std::atexit(end_job);
  if (settings->machine.is_spmd) start_worker(launched->rank);
}

// ---- when the program has been loaded -----------------------------------------------------------

// The last of the functions that the C library calls between loading the program and main: all
// objects with static storage are there, in the program and in its libraries.
using Initializer = void (*)(int, char**, char**);
constinit Initializer last_initializer = nullptr;

void last_and_join(int count, char** arguments, char** environment) {
  last_initializer(count, arguments, environment);
  join_job();
}

// Puts last_and_join() in the place of the program's last initialiser. False: it has none.
bool take_last_place() {
  const auto note = [](dl_phdr_info* module, std::size_t, void* argument) {
    *static_cast<dl_phdr_info*>(argument) = *module;
    return 1;  // the program is the first
  };
  dl_phdr_info info{};
  dl_iterate_phdr(note, &info);
  std::uintptr_t first = 0;
  std::size_t bytes = 0;
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_INIT_ARRAY) first = info.dlpi_addr + entry->d_un.d_ptr;
      if (entry->d_tag == DT_INIT_ARRAYSZ) bytes = entry->d_un.d_val;
    }
  }
  const std::size_t count = bytes / sizeof(Initializer);
  if (count == 0) return false;
  auto* const last = reinterpret_cast<Initializer*>(first) + count - 1;
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t page = base::round_down(reinterpret_cast<std::uintptr_t>(last), page_bytes);
  // It is among the constants that the loader has protected.
  if (mprotect(reinterpret_cast<void*>(page), page_bytes, PROT_READ | PROT_WRITE) != 0)
    return false;
  last_initializer = *last;
  *last = last_and_join;
  return true;
}

__attribute__((constructor)) void join_when_loaded() {
  const auto launched = transport::mpi::launched();
  if (!launched || take_last_place()) return;
  const char* const on = std::getenv("MYR_ON");
  if (on == nullptr || !is_named(on)) return;
  refuse(launched->rank,
         "this program cannot run on MPI: the loader has not left it a place for "
         "what comes before main");
}

}  // namespace

Job* joined_job() noexcept { return membership.process == getpid() ? membership.job : nullptr; }

bool is_outside_of_job() {
  return membership.has_ended || (membership.process == 0 && transport::mpi::launched());
}

base::Error not_launched(const Settings& settings) {
  if (membership.process != 0) {
    return {base::format(
        "this process was forked from one of the job that MYR_ON={} names, and is none "
        "of it; let it have another machine, for instance by setenv(\"MYR_ON\", "
        "\"smp\", 1) before its first call",
        settings.machine_name)};
  }
  return {
      base::format("MYR_ON={0} needs {1} processes: start them with `myr run --on {0} PROGRAM`, "
                   "`mpirun -n {1} PROGRAM`, or under Slurm with `srun --mpi=pmix -n {1} PROGRAM`",
                   settings.machine_name, settings.machine.topology->agent_count())};
}

base::Result<bool> check_rank_count(Job& job, const Settings& settings) {
  const unsigned count = settings.machine.topology->agent_count();
  if (job.rank().count() == count) return true;
  return base::Error{
      base::format("MYR_ON={} needs {} processes, and the launcher has started {}: start it with "
                   "`mpirun -n {}`, or name another machine",
                   settings.machine_name, count, job.rank().count(), count)};
}

}  // namespace myr::runtime
