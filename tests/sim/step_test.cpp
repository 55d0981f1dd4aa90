// SPDX-License-Identifier: Apache-2.0
//
// Steps that main marks, on the product's schedulers and workers in seeded orders of delivery: the
// same tasks and loops again and again, with other tasks, waits and changed steps between. Each
// program must end with the serial result, nothing may be left over, and no task may use an object
// whose latest version has not been brought to its worker, unless workers share their memory.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/sanitized.hpp"
#include "cluster/step_recorder.hpp"
#include "machine.hpp"

namespace myr::sim_test {

namespace {

using proto::AgentId;
using proto::Mode;
using proto::NodeId;
using proto::TaskId;

constexpr std::size_t kObjects = 12;
constexpr std::size_t kRegions = 3;
constexpr std::uint64_t kBytes = 64;
constexpr std::uint64_t kPrograms = base::kIsSanitized ? 100 : 2000;

struct Use {
  std::size_t object;
  bool writes;
};

// A task, or a loop in which an iteration uses one object of a region.
struct Plan {
  std::vector<Use> uses;
  std::optional<std::size_t> loop_region;
  std::uint64_t grain = 1;
};

// One run of it: also, what its child does afterwards with the first object that it writes.
struct Instance {
  Plan plan;
  std::uint64_t salt;
  bool has_child = false;
};

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15ULL;
  return a ^ a >> 29;
}

struct Counts {
  std::uint64_t replayed = 0;
  std::uint64_t tasks = 0;
};

class Runner final : public Bodies, private cluster::StepRecorder::Main {
 public:
  Runner(const sched::Topology& topology, std::uint64_t seed, bool shares_memory)
      : random_(seed),
        shares_memory_(shares_memory),
        machine_(topology, seed, *this, !shares_memory) {}

  // What is wrong; empty: nothing.
  std::string run() {
    machine_.later([this] { make_next_region(); });
    const bool settled = machine_.run();
    if (!machine_.misuse().empty()) return machine_.misuse();
    if (!settled) return "does not end";
    if (!is_over_) return "hangs";
    if (!machine_.all_idle()) return "something is left over";
    return contents_ == expected_ ? "" : "another result";
  }
  [[nodiscard]] const Counts& counts() const { return counts_; }

  // ---- from the machine

  void begin(AgentId worker, const proto::Work& work) override {
    counts_.tasks += 1;
    counts_.replayed += work.place.is_replayed;
    const Instance& instance = instances_[work.program];
    const std::vector<Use> uses = uses_of(instance.plan, work.iterations);
    for (const Use& use : uses) {
      if (shares_memory_ || machine_.versions().is_current(worker, addresses_[use.object]))
        continue;
      machine_.note_misuse("old version of object " + std::to_string(use.object));
    }
    const std::uint64_t value = value_of(uses, instance.salt, contents_);
    machine_.later([this, worker, work, uses, value] { end(worker, work, uses, value); });
  }
  void go_on(TaskId) override {
    if (std::exchange(is_far_ahead_, false)) return go_on_with_main();
    is_over_ = true;
    machine_.send(main_worker(), proto::kTop, proto::BodyEnded{.task = sched::kMain});
    machine_.ended(main_worker(), sched::kMain);
  }
  void answer(const proto::RegionMade& made) override {
    regions_.push_back(made.region);
    machine_.later([this] { make_next_region(); });
  }
  void answer(const proto::Allocated& allocated) override {
    if (allocated.addresses.empty()) {  // no memory yet
      machine_.add_memory();
    } else {
      for (const std::uint64_t address : allocated.addresses) {
        region_of_.push_back(allocating_);
        addresses_.push_back(address);
        machine_.versions().write(main_worker(), address);
        contents_.push_back(addresses_.size());
      }
      allocating_ += 1;
    }
    machine_.later([this] { allocate_next(); });
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  [[nodiscard]] AgentId main_worker() const { return machine_.topology().workers().front(); }

  // ---- the begin of main

  void make_next_region() {
    if (regions_.size() == kRegions) return allocate_next();
    const NodeId parent = regions_.empty() || chance(50) ? proto::kRootRegion : regions_.back();
    machine_.send(main_worker(), proto::owner_of_region(parent),
                  proto::NewRegion{.request = 0,
                                   .asker = main_worker(),
                                   .parent = parent,
                                   .level_hint = static_cast<std::int32_t>(below(4))});
  }
  void allocate_next() {
    if (allocating_ == kRegions) return begin_program();
    machine_.send(main_worker(), proto::owner_of_region(regions_[allocating_]),
                  proto::Allocate{.request = 0,
                                  .asker = main_worker(),
                                  .region = regions_[allocating_],
                                  .bytes = kBytes,
                                  .count = kObjects / kRegions,
                                  .time = clock_.now()});
  }
  void begin_program() {
    expected_ = contents_;
    for (std::size_t i = 2 + below(12); i != 0; --i) step_.push_back(random_plan());
    left_ = 3 + below(20);
    machine_.later([this] { go_on_with_main(); });
  }

  // ---- main

  void go_on_with_main() {
    if (left_ == 0) return wait_for_all();
    left_ -= 1;
    if (chance(4)) step_[below(step_.size())] = random_plan();
    run_step();
    if (is_far_ahead_) return machine_.waits(main_worker(), sched::kMain);
    if (chance(4)) spawn(random_plan());
    machine_.later([this] { go_on_with_main(); });
  }
  void run_step() {
    recorder_.begin(record_);
    const bool is_short = chance(3);
    for (std::size_t i = 0; i + is_short < step_.size(); ++i) spawn(step_[i]);
    if (chance(2)) spawn(random_plan());
    if (recorder_.is_in(record_.get())) recorder_.end(nullptr);
  }
  void tell(proto::Body message) override { send(std::move(message)); }
  void send_spawn(proto::Spawn spawn) override { send(std::move(spawn)); }
  // Main may do at any time what it does when it has told very many runs.
  void tell_run(proto::StepRun run) override {
    is_far_ahead_ = run.waits = chance(25);
    send(std::move(run));
  }
  proto::TaskPtr make_unit(const myr_site*) override {
    auto unit = make_task(proto::Purpose::Hold, 0);
    unit->time = clock_.now();
    return unit;
  }
  void wait_for_all() {
    recorder_.leave();
    send(proto::WaitAll{.task = sched::kMain, .time = clock_.now()});
    machine_.waits(main_worker(), sched::kMain);
  }
  void send(proto::Body body) { machine_.send(main_worker(), proto::kTop, std::move(body)); }

  Plan random_plan() {
    Plan plan;
    if (chance(25)) {
      plan.loop_region = below(kRegions);
      plan.grain = 1 + below(2);
      return plan;
    }
    for (std::size_t object = 0; object < kObjects; ++object) {
      if (chance(20)) plan.uses.push_back({object, chance(50)});
    }
    return plan;
  }
  void spawn(const Plan& plan) {
    const bool has_child = !plan.loop_region && chance(is_plain_ ? 0 : 2);
    instances_.push_back({plan, random_(), has_child});
    const Instance& instance = instances_.back();
    run_serially(instance);
    auto task = make_task(plan.loop_region ? proto::Purpose::Spread : proto::Purpose::Run,
                          instances_.size() - 1);
    task->time = clock_.spawn();
    if (plan.loop_region) {
      add_loop(plan, *task);
    } else {
      for (const Use& use : plan.uses) task->accesses.push_back(access_to(use));
    }
    recorder_.issue(std::move(task));
  }
  static std::unique_ptr<proto::Task> make_task(proto::Purpose purpose, std::uint64_t program) {
    auto task = std::make_unique<proto::Task>();
    task->parent = sched::kMain;
    task->purpose = purpose;
    task->program = program;
    return task;
  }
  [[nodiscard]] proto::Access access_to(const Use& use) const {
    return {.node = NodeId::object(addresses_[use.object]),
            .mode = use.writes ? Mode::Write : Mode::Read};
  }
  // Each iteration writes its object of the region, and reads the first of all.
  void add_loop(const Plan& plan, proto::Task& task) const {
    const NodeId region = regions_[*plan.loop_region];
    auto loop = std::make_shared<proto::Loop>();
    for (std::size_t object = 0; object < kObjects; ++object) {
      if (region_of_[object] == *plan.loop_region) loop->objects.push_back(addresses_[object]);
    }
    const std::uint64_t count = loop->objects.size();
    loop->iterations = {.begin = 0, .end = count};
    loop->grain = plan.grain;
    loop->windows = {{.region = region, .mode = Mode::Write, .count = count}};
    task.accesses = {{.node = region, .mode = Mode::Write}};
    if (*plan.loop_region != 0) {
      loop->windows.push_back(
          {.region = regions_[0], .mode = Mode::Read, .count = 1, .before = count, .after = count});
      loop->objects.push_back(addresses_[0]);
      task.accesses.push_back({.node = regions_[0], .mode = Mode::Read});
    }
    task.loop = std::move(loop);
  }

  // ---- what tasks do

  [[nodiscard]] std::vector<Use> uses_of(const Plan& plan, proto::Iterations iterations) const {
    if (!plan.loop_region) return plan.uses;
    std::vector<Use> uses;
    std::size_t iteration = 0;
    for (std::size_t object = 0; object < kObjects; ++object) {
      if (region_of_[object] != *plan.loop_region) continue;
      if (iteration >= iterations.begin && iteration < iterations.end)
        uses.push_back({object, true});
      iteration += 1;
    }
    if (*plan.loop_region != 0) uses.push_back({0, false});
    return uses;
  }
  static std::uint64_t value_of(const std::vector<Use>& uses, std::uint64_t salt,
                                const std::vector<std::uint64_t>& contents) {
    std::uint64_t value = salt;
    for (const Use& use : uses) value = mix(value, contents[use.object]);
    return value;
  }
  static void write(const std::vector<Use>& uses, std::uint64_t value,
                    std::vector<std::uint64_t>& contents) {
    for (const Use& use : uses) {
      if (use.writes) contents[use.object] = mix(value, use.object);
    }
  }
  static std::optional<Use> child_use(const Plan& plan) {
    for (const Use& use : plan.uses) {
      if (use.writes) return use;
    }
    return {};
  }
  void run_serially(const Instance& instance) {
    const Plan& plan = instance.plan;
    const std::uint64_t count = plan.loop_region ? kObjects / kRegions : 1;
    for (std::uint64_t i = 0; i < count; i += plan.grain) {
      const std::vector<Use> uses = uses_of(plan, {i, std::min(count, i + plan.grain)});
      write(uses, value_of(uses, instance.salt, expected_), expected_);
    }
    const auto child = child_use(plan);
    if (!instance.has_child || !child) return;
    write({*child}, value_of({*child}, 1, expected_), expected_);
  }
  void end(AgentId worker, const proto::Work& work, const std::vector<Use>& uses,
           std::uint64_t value) {
    note(worker, uses, value);
    const Instance& instance = instances_[work.program];
    const auto child = instance.has_child ? child_use(instance.plan) : std::nullopt;
    const AgentId home = proto::home_of(work.task);
    if (work.place.is_replayed) {
      if (child) note(worker, {*child}, value_of({*child}, 1, contents_));
      tell_replayed(worker, work.task, child.has_value());
    } else {
      if (child) {
        const std::uint64_t program = instances_.size();
        instances_.push_back({{.uses = {*child}, .loop_region = {}}, 1});
        auto task = make_task(proto::Purpose::Run, program);
        task->parent = work.task;
        proto::SerialClock clock(work.time);
        task->time = clock.spawn();
        task->accesses.push_back(access_to(*child));
        machine_.send(worker, home, proto::Spawn{.task = std::move(task)});
      }
      machine_.send(worker, home, proto::BodyEnded{.task = work.task});
    }
    machine_.ended(worker, work.task);
  }
  void tell_replayed(AgentId worker, TaskId task, bool has_spawned) {
    const AgentId home = proto::home_of(task);
    if (shares_memory_) {
      machine_.send(worker, home, proto::BodyEnded{.task = task});
    } else {
      machine_.send(worker, home, proto::ReplayEnded{.task = task, .has_spawned = has_spawned});
    }
  }
  void note(AgentId worker, const std::vector<Use>& uses, std::uint64_t value) {
    write(uses, value, contents_);
    for (const Use& use : uses) {
      if (use.writes) machine_.versions().write(worker, addresses_[use.object]);
    }
  }

  std::mt19937_64 random_;
  const bool shares_memory_;
  const bool is_plain_ = random_() % 2 == 0;  // no task has children
  std::vector<NodeId> regions_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::size_t> region_of_;
  std::size_t allocating_ = 0;
  std::vector<std::uint64_t> contents_, expected_;
  std::vector<Plan> step_;
  std::size_t left_ = 0;
  std::vector<Instance> instances_;
  proto::SerialClock clock_;
  cluster::StepRecorder recorder_{*this, /*waits=*/false};
  std::unique_ptr<base::StepRecord> record_;
  bool is_over_ = false;
  bool is_far_ahead_ = false;  // main is, and waits
  Counts counts_;
  Machine machine_;
};

void run_programs(bool shares_memory) {
  const std::vector<std::vector<unsigned>> trees = {{4}, {3, 2}, {2, 2, 2}, {2, 3, 1, 2}};
  Counts all;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    const auto topology = sched::Topology::of_fan_outs(trees[seed % trees.size()]);
    Runner runner(topology, seed, shares_memory);
    const std::string wrong = runner.run();
    INFO("seed ", seed);
    REQUIRE(wrong == "");
    all.tasks += runner.counts().tasks;
    all.replayed += runner.counts().replayed;
  }
  CHECK(all.replayed > all.tasks / 4);
}

}  // namespace

TEST_CASE("steps that are replayed have the serial result, and bring what they use") {
  run_programs(/*shares_memory=*/false);
}

TEST_CASE("the same where workers share their memory, and tasks are placed anew") {
  run_programs(/*shares_memory=*/true);
}

}  // namespace myr::sim_test
