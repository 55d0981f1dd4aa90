// SPDX-License-Identifier: Apache-2.0
//
// What a task costs on the machine that MYR_ON names: small tasks, their whole life and the way
// from the spawn to the first instruction. run.py starts it on several machines; see README.md.
// Afterwards all counts are checked: a lost task, or two of a chain at once, fail the program.
#include <fmt/core.h>
#include <myr/myr.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/command_line.hpp"
#include "harness/core_clock.hpp"

namespace {

using namespace myr::bench;  // NOLINT(google-build-using-namespace)

constexpr unsigned kObjectCounts[] = {1, 3, 8, 15};
constexpr std::size_t kObjectsMax = 15;
constexpr std::size_t kLoneTasks = 1000;

struct alignas(64) Counter {
  std::uint64_t value = 0;
};

constexpr std::size_t kRoundTasks = 40;

// Each task has objects of its own; or that many have, and then the same once more; or these rounds
// are a recorded step; or all tasks use the same objects.
enum class Kind { Free, Rounds, Steps, Chain };
struct Case {
  Kind kind;
  unsigned objects;  // of each task

  // Tasks that have objects of their own.
  [[nodiscard]] std::size_t users(std::size_t tasks) const {
    if (kind == Kind::Free) return tasks;
    return kind == Kind::Chain ? 1 : std::min(tasks, kRoundTasks);
  }
};

const char* name_of(const Case& one) {
  constexpr std::array kNames = {"free", "rounds", "steps", "chain"};
  return kNames[static_cast<std::size_t>(one.kind)];
}

// Increments what it depends on first.
void count_up(const myr_access* arguments) { ++static_cast<Counter*>(arguments[0].address)->value; }

// The time of its first instruction.
void note_time(const myr_access* arguments) {
  *static_cast<std::int64_t*>(arguments[0].address) = now_ns();
}

// Objects of a region as high up in the tree as main is.
class Counters {
 public:
  explicit Counters(std::size_t count) : counters_(count) {
    myr_alloc_many(sizeof(Counter), region_, count, reinterpret_cast<void**>(counters_.data()));
    for (Counter* counter : counters_) *counter = {};
  }
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;
  ~Counters() { myr_region_free(region_); }

  // Spawns a task on `count` of them, from the `first` on.
  void spawn(std::size_t first, unsigned count) const {
    std::array<myr_access, kObjectsMax> accesses;
    std::transform(counters_.begin() + static_cast<std::ptrdiff_t>(first),
                   counters_.begin() + static_cast<std::ptrdiff_t>(first + count), accesses.begin(),
                   [](Counter* counter) { return myr_inout(counter); });
    myr_spawn_array(count_up, accesses.data(), count);
  }
  [[nodiscard]] std::uint64_t value(std::size_t index) const { return counters_[index]->value; }

 private:
  static constexpr int kTopOfTheTree = 99;

  myr_region region_ = myr_region_new(MYR_ROOT, kTopOfTheTree);
  std::vector<Counter*> counters_;
};

struct ThreadTimes {
  std::int64_t all_ns = 0;
  std::int64_t schedulers_ns = 0;
};

// What the threads of this process have used of processors.
ThreadTimes thread_times() {
  ThreadTimes times;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    timespec used{};
    // How Linux names the processor time of a thread: its id, complemented, above three bits.
    const int thread = std::stoi(entry.path().filename());
    constexpr int kTimeOfThread = 6;
    if (clock_gettime(~thread * 8 | kTimeOfThread, &used) != 0) continue;  // it has ended
    const std::int64_t ns = std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
    times.all_ns += ns;
    if (name.starts_with("myr-s")) times.schedulers_ns += ns;
  }
  return times;
}

struct Sample {
  double ns;            // that pass
  double processor_ns;  // of all threads
  double scheduler_ns;  // of those that only schedule
};

void spawn_all(const Counters& counters, const Case& one, std::size_t tasks) {
  const std::size_t users = one.users(tasks);
  const myr_recording step = one.kind == Kind::Steps ? myr_recording_new() : nullptr;
  for (std::size_t task = 0; task < tasks; ++task) {
    const std::size_t user = task % users;
    if (step != nullptr && user == 0) myr_step_begin(step);
    counters.spawn(user * one.objects, one.objects);
    if (step != nullptr && user == users - 1) myr_step_end(step);
  }
  myr_recording_free(step);
}

// Runs all tasks of a case, `tasks` of them, and waits for them.
Sample time_tasks(const Counters& counters, const Case& one, std::size_t tasks) {
  const ThreadTimes before = thread_times();
  const std::int64_t start = now_ns();
  spawn_all(counters, one, tasks);
  myr_wait_all();
  const std::int64_t end = now_ns();
  const ThreadTimes after = thread_times();
  return {.ns = static_cast<double>(end - start),
          .processor_ns = static_cast<double>(after.all_ns - before.all_ns),
          .scheduler_ns = static_cast<double>(after.schedulers_ns - before.schedulers_ns)};
}

// False: tasks were lost, or ran at the same time.
bool report_tasks(const Case& one, std::size_t tasks) {
  const std::size_t users = one.users(tasks);
  const Counters counters(users * one.objects);
  static_cast<void>(time_tasks(counters, one, tasks));  // threads are awake, pools are filled
  const double ghz_before = core_ghz();
  const Sample sample = time_tasks(counters, one, tasks);
  const double cycles = (ghz_before + core_ghz()) / 2 / static_cast<double>(tasks);
  for (std::size_t user = 0; user < users; ++user) {
    if (counters.value(user * one.objects) != 2 * tasks / users) return false;
  }
  fmt::print(
      "{{\"bench\": \"tree_{}\", \"objects\": {}, \"tasks\": {}, \"cycles_per_task\": {:.0f}, "
      "\"processor_cycles_per_task\": {:.0f}, \"scheduler_cycles_per_task\": {:.0f}}}\n",
      name_of(one), one.objects, tasks, sample.ns * cycles, sample.processor_ns * cycles,
      sample.scheduler_ns * cycles);
  return true;
}

// One task at a time: from the call that spawns it to its first instruction.
void report_way_to_run() {
  auto* began = static_cast<std::int64_t*>(myr_alloc(sizeof(std::int64_t), MYR_ROOT));
  const myr_access access = myr_inout(began);
  const double ghz_before = core_ghz();
  std::vector<std::int64_t> ways_ns;
  for (std::size_t task = 0; task < kLoneTasks; ++task) {
    const std::int64_t start = now_ns();
    myr_spawn_array(note_time, &access, 1);
    myr_wait_all();
    ways_ns.push_back(*began - start);
  }
  const double ghz = (ghz_before + core_ghz()) / 2;
  myr_free(began);
  const auto middle = ways_ns.begin() + kLoneTasks / 2;
  std::nth_element(ways_ns.begin(), middle, ways_ns.end());
  fmt::print("{{\"bench\": \"tree_spawn_to_run\", \"objects\": 1, \"cycles_per_task\": {:.0f}}}\n",
             static_cast<double>(*middle) * ghz);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t tasks = 5000;
  std::string only;
  kernels::CommandLine line(
      "Measures what a task costs on the machine MYR_ON; prints one JSON object a case.");
  line.add_count("--tasks", &tasks, "of each case", 1'000'000);
  line.add("--only", &only, "measure one case, such as chain/15");
  line.parse(argc, argv);
  tasks = (tasks + kRoundTasks - 1) / kRoundTasks * kRoundTasks;
  if (only.empty()) report_way_to_run();
  for (const Kind kind : {Kind::Free, Kind::Rounds, Kind::Steps, Kind::Chain}) {
    for (const unsigned objects : kObjectCounts) {
      const Case one{.kind = kind, .objects = objects};
      if (!only.empty() && only != fmt::format("{}/{}", name_of(one), objects)) continue;
      if (report_tasks(one, tasks)) continue;
      fmt::print(stderr, "tasks were lost, or ran out of order\n");
      return 1;
    }
  }
  myr_finish();
  return 0;
}
