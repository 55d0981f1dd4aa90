// SPDX-License-Identifier: Apache-2.0
//
// What an empty task costs the schedulers of a tree machine, in core cycles: all that they do from
// its Spawn to its Completed, with the memory of a real heap. Not in it: what workers do (they make
// the tasks that they spawn), and channels, which are one queue here.
//
//   flat_K        one scheduler, four workers; tasks with K objects of main's
//   two_levels_K  the objects are a lower scheduler's, and so are the tasks; main's home is the top
//   loop_K        flat_K, but the tasks are the parts of a loop over a region
//   shared_step_K the same loop as a recorded step, which is replayed: its tasks are placed anew
//   step_K        the same where workers share no memory: each task goes to where it ran
//
// kBurst tasks are spawned, then they are run and end; no two of a burst use the same object.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "cluster/heap_store.hpp"
#include "common/command_line.hpp"
#include "graph/region_space.hpp"
#include "harness/core_clock.hpp"
#include "sched/queued_tree.hpp"

namespace {

using namespace myr;  // NOLINT(google-build-using-namespace)
using proto::AgentId;
using proto::NodeId;
using sched::Topology;

constexpr std::uint32_t kBurst = 64;
constexpr std::uint32_t kTasks = 100 * kBurst;  // a run
constexpr std::uint32_t kPages = 64;            // of each case

// The time of this thread, so that whatever else is on the core does not count.
std::int64_t cpu_ns() {
  timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

struct Case {
  std::string name;
  std::vector<unsigned> fan_outs;
  bool uses_region;  // else the objects are in the root
  bool is_loop;
  bool is_step;
  bool moves_data;  // workers share no memory
  std::uint32_t objects;
};

// Main, which spawns empty tasks.
class Spawner {
 public:
  explicit Spawner(const Case& the_case)
      : topology_(Topology::of_fan_outs(the_case.fan_outs)),
        tree_(
            topology_,
            {.moves_data = the_case.moves_data, .memory = cluster::HeapStore::take_memory(kPages)},
            [this] { return std::make_unique<cluster::HeapStore>(next_store++, *space_); },
            [this](AgentId, proto::Message&& message) { received_.push_back(std::move(message)); }),
        count_(the_case.objects),
        is_loop_(the_case.is_loop),
        is_step_(the_case.is_step) {
    const AgentId self = main_worker();
    NodeId& region = region_;
    if (the_case.uses_region) {
      tree_.send(self, {.to = proto::kTop,
                        .body = proto::NewRegion{
                            .request = 0, .asker = self, .parent = region, .level_hint = 0}});
      region = answer<proto::RegionMade>().region;
    }
    tree_.send(self, {.to = proto::owner_of_region(region),
                      .body = proto::Allocate{.request = 0,
                                              .asker = self,
                                              .region = region,
                                              .bytes = 64,
                                              .count = std::uint64_t{kBurst} * count_,
                                              .time = clock_.now()}});
    objects_ = answer<proto::Allocated>().addresses;
  }

  struct Result {
    std::int64_t ns;
    std::uint64_t messages;
  };
  Result run() {
    const std::uint64_t before = tree_.handled();
    std::int64_t ns = 0;
    for (std::uint32_t task = 0; task < kTasks; task += kBurst) {
      send_spawns();
      ns += timed_delivery();
      // Schedulers let workers have a few tasks at a time.
      std::uint32_t ended = 0;
      while (const std::uint32_t now = send_ends()) {
        ended += now;
        ns += timed_delivery();
      }
      MYR_ASSERT(ended == kBurst);
    }
    return {.ns = ns, .messages = tree_.handled() - before};
  }

 private:
  [[nodiscard]] AgentId main_worker() const { return topology_.workers().front(); }
  // What workers have got.
  std::vector<proto::Message> take_received() { return std::exchange(received_, {}); }
  template <class Answer>
  Answer answer() {
    tree_.deliver();
    return std::get<Answer>(take_received().front().body);
  }
  std::int64_t timed_delivery() {
    const std::int64_t start = cpu_ns();
    tree_.deliver();
    return cpu_ns() - start;
  }
  void send_loop() {
    auto loop = std::make_shared<proto::Loop>();
    loop->iterations = {.begin = 0, .end = kBurst};
    loop->objects = objects_;
    for (std::uint32_t k = 0; k < count_; ++k) {
      loop->windows.push_back({.region = region_, .mode = proto::Mode::Write, .count = kBurst});
    }
    auto task = std::make_unique<proto::Task>();
    task->parent = sched::kMain;
    task->purpose = proto::Purpose::Spread;
    task->time = clock_.spawn();
    task->accesses = {{.node = region_, .mode = proto::Mode::Write}};
    task->loop = std::move(loop);
    task->place.step = is_step_ ? ++steps_ : 0;
    tree_.send(main_worker(), {.to = proto::kTop, .body = proto::Spawn{.task = std::move(task)}});
    if (!is_step_) return;
    tree_.send(main_worker(), {.to = proto::kTop, .body = proto::StepRecorded{.step = steps_}});
  }
  // The first run is analysed.
  void send_run() {
    if (steps_ == 0) return send_loop();
    if (std::exchange(is_held_, true) == false) {
      auto unit = std::make_unique<proto::Task>();
      unit->parent = sched::kMain;
      unit->purpose = proto::Purpose::Hold;
      unit->place.step = steps_;
      unit->accesses = {{.node = region_, .mode = proto::Mode::Write}};
      tree_.send(main_worker(), {.to = proto::kTop, .body = proto::Spawn{.task = std::move(unit)}});
    }
    proto::StepRun run{.step = steps_, .spawns = {{.program = 0, .time = clock_.spawn()}}};
    tree_.send(main_worker(), {.to = proto::kTop, .body = std::move(run)});
  }
  void send_spawns() {
    if (is_step_) return send_run();
    if (is_loop_) return send_loop();
    std::size_t object = 0;
    for (std::uint32_t i = 0; i < kBurst; ++i) {
      auto task = std::make_unique<proto::Task>();
      task->parent = sched::kMain;
      task->time = clock_.spawn();
      for (std::uint32_t k = 0; k < count_; ++k) {
        task->accesses.push_back(
            {.node = NodeId::object(objects_[object++]), .mode = proto::Mode::Write});
      }
      tree_.send(main_worker(), {.to = proto::kTop, .body = proto::Spawn{.task = std::move(task)}});
    }
  }
  template <class Ended>
  void end(AgentId worker, Ended message, std::uint32_t& ended) {
    const AgentId home = proto::home_of(message.task);
    tree_.send(worker, {.to = home, .body = std::move(message)});
    ended += 1;
  }
  // Sends the ends of the tasks that workers have got. Returns how many.
  std::uint32_t send_ends() {
    const std::vector<proto::Message> received = take_received();
    std::uint32_t ended = 0;
    for (const proto::Message& message : received) {
      if (const auto* replay = std::get_if<proto::Replay>(&message.body)) {
        end(message.to, proto::ReplayEnded{.task = replay->task}, ended);
      } else if (const auto* execute = std::get_if<proto::Execute>(&message.body)) {
        end(message.to, proto::BodyEnded{.task = execute->work.task}, ended);
      }
    }
    return ended;
  }

  static inline std::uint32_t next_store = 0;
  const Topology topology_;
  const std::unique_ptr<graph::RegionSpace> space_ =
      std::move(*graph::RegionSpace::create_for_agents());
  sched::QueuedTree tree_;
  std::vector<proto::Message> received_;
  std::uint32_t count_;
  bool is_loop_;
  bool is_step_;
  std::uint32_t steps_ = 0;  // that have been recorded
  bool is_held_ = false;     // is what the last of them uses?
  NodeId region_ = proto::kRootRegion;
  proto::SerialClock clock_;
  std::vector<std::uint64_t> objects_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Pages for schedulers are set aside once in a heap.
void new_heap() {
  if (mem::Heap::exists()) mem::Heap::instance().destroy();
  if (auto heap = mem::Heap::create(); !heap) {
    fmt::print(stderr, "scheduler: {}\n", heap.error().text);
    std::exit(1);
  }
}

void report(const Case& the_case, unsigned runs, std::FILE* json) {
  new_heap();
  Spawner spawner(the_case);
  std::vector<double> cycles;
  double messages = 0;
  static_cast<void>(spawner.run());  // what grows with use has grown
  for (unsigned run = 0; run < runs; ++run) {
    const double ghz = bench::core_ghz();
    const Spawner::Result result = spawner.run();
    cycles.push_back(static_cast<double>(result.ns) * ghz / kTasks);
    messages = static_cast<double>(result.messages) / kTasks;
  }
  const auto [least, most] = std::minmax_element(cycles.begin(), cycles.end());
  fmt::print("{:<14}{:>7.0f} ({:.0f}..{:.0f}){:>7.1f}\n", the_case.name, median(cycles), *least,
             *most, messages);
  if (json == nullptr) return;
  fmt::print(
      json,
      "{{\"bench\": \"scheduler_{}\", \"runtime\": \"myrmidon\", \"cycles_per_task\": {:.1f}, "
      "\"messages_per_task\": {:.2f}}}\n",
      the_case.name, median(cycles), messages);
}

}  // namespace

int main(int argc, char** argv) {
  unsigned runs = 15;
  std::string only;
  kernels::CommandLine line("Measures what a task costs the schedulers of a tree machine.");
  line.add_count("--runs", &runs, "runs of each case", 1000);
  line.add("--only", &only, "one case, such as flat_1");
  line.add_json("file for one JSON object a measurement");
  line.parse(argc, argv);
  std::FILE* json = line.json();

  fmt::print(
      "core cycles of schedulers for a task: median (least..most) of {} runs; messages that\n"
      "they handle for it\n",
      runs);
  for (const std::uint32_t objects : {1U, 3U, 8U}) {
    for (const char* const kind : {"flat", "two_levels", "loop", "shared_step", "step"}) {
      const bool is_deep = kind == std::string_view("two_levels");
      const bool is_step = std::string_view(kind).ends_with("step");
      const bool is_loop = is_step || kind == std::string_view("loop");
      const Case the_case{
          .name = fmt::format("{}_{}", kind, objects),
          .fan_outs = is_deep ? std::vector<unsigned>{2, 4} : std::vector<unsigned>{4},
          .uses_region = is_deep || is_loop,
          .is_loop = is_loop,
          .is_step = is_step,
          .moves_data = kind == std::string_view("step"),
          .objects = objects};
      if (only.empty() || only == the_case.name) report(the_case, runs, json);
    }
  }
  return 0;
}
