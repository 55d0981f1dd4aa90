// SPDX-License-Identifier: Apache-2.0
//
// What went wrong in the published Myrmics runtime, each as a little program that would show it, on
// one to three levels of schedulers and in many orders of delivery; the letters are those of our
// notes. tests/spin checks the first two in all orders, placer_test.cpp has those about loads. The
// others are about trading pages, memory of its own, and realloc in a worker.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "machine.hpp"
#include "run_on_agents.hpp"

using namespace myr;
using namespace myr::sim_test;
using random_test::Access;
using random_test::kMainTask;
using random_test::kRootRegion;
using random_test::Mode;
using random_test::Program;
using random_test::Step;

namespace {

constexpr std::uint64_t kSeeds = 60;
constexpr unsigned kWords = 4;

std::vector<sched::Topology> topologies() {
  return {sched::Topology::of_fan_outs({3}), sched::Topology::of_fan_outs({2, 2}),
          sched::Topology::of_fan_outs({2, 2, 2})};
}

Access region(unsigned index, Mode mode) {
  return {.target = {.is_region = true, .is_whole = true, .index = index, .first = 0, .count = 0},
          .mode = mode,
          .no_transfer = false};
}
Access object(unsigned index, Mode mode) {
  return {
      .target = {.is_region = false, .is_whole = true, .index = index, .first = 0, .count = kWords},
      .mode = mode,
      .no_transfer = false};
}

// A program, written step by step. Every function says which task does it.
struct Sketch {
  Program program{.seed = 0,
                  .tasks = {{}},
                  .objects = {},
                  .region_parent = {kRootRegion},
                  .live_objects = {},
                  .live_regions = {},
                  .global_count = 0};

  void add(unsigned task, Step step) { program.tasks[task].steps.push_back(std::move(step)); }
  unsigned new_region(unsigned task, unsigned parent) {
    program.region_parent.push_back(parent);
    const auto index = static_cast<unsigned>(program.region_parent.size() - 1);
    add(task, {.kind = Step::Kind::NewRegion, .index = index});
    return index;
  }
  unsigned new_object(unsigned task, unsigned in) {
    program.objects.push_back({.region = in, .words = kWords});
    const auto index = static_cast<unsigned>(program.objects.size() - 1);
    add(task, {.kind = Step::Kind::Allocate, .index = index, .count = 1});
    return index;
  }
  unsigned spawn(unsigned task, std::vector<Access> accesses) {
    program.tasks.push_back({.accesses = std::move(accesses), .steps = {}});
    const auto index = static_cast<unsigned>(program.tasks.size() - 1);
    add(task, {.kind = Step::Kind::Spawn, .index = index});
    return index;
  }
  void touch(unsigned task, unsigned index, Mode mode) {
    add(task, {.kind = Step::Kind::Touch, .access = object(index, mode)});
  }
  // A task that does nothing but that.
  void spawn_touch(unsigned task, unsigned index, Mode mode) {
    touch(spawn(task, {object(index, mode)}), index, mode);
  }
};

void check_serial(const Program& program) {
  const random_test::Outcome expected = random_test::run_serially(program);
  for (const sched::Topology& topology : topologies()) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      CAPTURE(topology.agent_count());
      CAPTURE(seed);
      const AgentsRun run = run_on_agents(program, topology, seed);
      REQUIRE(run.failure.empty());
      REQUIRE(run.outcome == expected);
    }
  }
}

// The user's mistake ends the program with a message, whatever the order.
void check_misuse(const Program& program) {
  for (const sched::Topology& topology : topologies()) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      CAPTURE(topology.agent_count());
      CAPTURE(seed);
      const AgentsRun run = run_on_agents(program, topology, seed);
      REQUIRE(run.failure.starts_with("misuse"));
    }
  }
}

// Main, word by word: it says things to schedulers and keeps their answers.
class Prompter final : public Bodies {
 public:
  explicit Prompter(const sched::Topology& topology, std::uint64_t seed)
      : machine(topology, seed, *this) {}
  void begin(proto::AgentId, const proto::Work&) override { machine.note_misuse("it runs"); }
  void go_on(proto::TaskId) override {}
  void answer(const proto::RegionMade& made) override { region_made = made; }
  void answer(const proto::Allocated& answer) override { allocated = answer; }

  bool say(proto::AgentId to, proto::Body message) {
    machine.send(worker(), to, std::move(message));
    return machine.run();
  }
  bool spawn(proto::NodeId node, proto::Purpose purpose) {
    auto task = std::make_unique<proto::Task>();
    task->parent = sched::kMain;
    task->purpose = purpose;
    task->time = proto::SerialTime().spawn();
    task->accesses = {{.node = node, .mode = proto::Mode::Write}};
    return say(proto::kTop, proto::Spawn{.task = std::move(task)});
  }
  proto::NodeId new_region(proto::NodeId parent, std::int32_t level_hint) {
    CHECK(say(proto::owner_of_region(parent),
              proto::NewRegion{
                  .request = 1, .asker = worker(), .parent = parent, .level_hint = level_hint}));
    return region_made.region;
  }
  std::uint64_t allocate(proto::NodeId in) {
    CHECK(say(
        proto::owner_of_region(in),
        proto::Allocate{
            .request = 2, .asker = worker(), .region = in, .bytes = 256, .count = 1, .time = {}}));
    return allocated.addresses.empty() ? 0 : allocated.addresses.front();
  }
  proto::AgentId worker() const { return machine.topology().workers().front(); }

  Machine machine;
  proto::RegionMade region_made{};
  proto::Allocated allocated{};
};

// Spawning with the node, and freeing it, is reported after a few messages.
void check_unknown(const sched::Topology& topology, auto&& choose_node) {
  for (const proto::Purpose purpose :
       {proto::Purpose::Run, proto::Purpose::FreeObject, proto::Purpose::FreeRegion}) {
    Prompter main(topology, 1);
    const proto::NodeId node = choose_node(main);
    const std::uint64_t before = main.machine.message_count();
    CAPTURE(node.bits);
    static_cast<void>(main.spawn(node, purpose));
    CHECK(main.machine.misuse() ==
          "misuse " + std::to_string(static_cast<int>(sched::Misuse::NoSuchNode)) + " by task 0");
    CHECK(main.machine.message_count() - before < 20);
  }
}

}  // namespace

TEST_CASE("A: the end of a parent overtakes its children on their way down") {
  Sketch sketch;
  const unsigned outer = sketch.new_region(kMainTask, kRootRegion);
  const unsigned middle = sketch.new_region(kMainTask, outer);
  const unsigned inner = sketch.new_region(kMainTask, middle);
  const unsigned first = sketch.new_object(kMainTask, middle);
  const unsigned second = sketch.new_object(kMainTask, inner);
  for (int round = 0; round < 3; ++round) {
    const unsigned parent = sketch.spawn(kMainTask, {region(outer, Mode::InOut)});
    const unsigned child = sketch.spawn(parent, {region(middle, Mode::InOut)});
    sketch.spawn_touch(child, first, Mode::InOut);
    sketch.spawn_touch(child, second, Mode::InOut);
    sketch.touch(sketch.spawn(kMainTask, {region(middle, Mode::InOut)}), second, Mode::InOut);
  }
  check_serial(sketch.program);
}

TEST_CASE("B: a child on a part overtakes its elder sibling on the parent's own region") {
  Sketch sketch;
  const unsigned outer = sketch.new_region(kMainTask, kRootRegion);
  const unsigned inner = sketch.new_region(kMainTask, outer);
  const unsigned part = sketch.new_object(kMainTask, inner);
  const unsigned parent = sketch.spawn(kMainTask, {region(outer, Mode::InOut)});
  sketch.touch(sketch.spawn(parent, {region(outer, Mode::InOut)}), part, Mode::InOut);
  sketch.spawn_touch(parent, part, Mode::InOut);
  sketch.touch(sketch.spawn(parent, {region(outer, Mode::In)}), part, Mode::In);
  sketch.spawn_touch(parent, part, Mode::InOut);
  check_serial(sketch.program);
}

TEST_CASE("C: schedulers send an unknown region to and fro") {
  for (const sched::Topology& topology : topologies()) {
    for (proto::AgentId owner = 0; owner < topology.agent_count() + 3; ++owner) {
      check_unknown(topology, [&](Prompter&) { return proto::make_region_id(owner, 77); });
    }
  }
}

TEST_CASE("C: schedulers send an address to and fro that nobody uses") {
  for (const sched::Topology& topology : topologies()) {
    for (std::int32_t hint = 0; hint < 3; ++hint) {
      for (const std::uint64_t distance : {std::uint64_t{1} << 12, std::uint64_t{1} << 50}) {
        check_unknown(topology, [&](Prompter& main) {
          const proto::NodeId home = main.new_region(proto::kRootRegion, hint);
          return proto::NodeId::object(main.allocate(home) + distance);
        });
      }
    }
  }
}

TEST_CASE("C: a region is freed twice") {
  Sketch sketch;
  const unsigned outer = sketch.new_region(kMainTask, kRootRegion);
  const unsigned inner = sketch.new_region(kMainTask, outer);
  sketch.new_object(kMainTask, inner);
  sketch.add(kMainTask, {.kind = Step::Kind::FreeRegion, .index = inner});
  sketch.add(kMainTask, {.kind = Step::Kind::FreeRegion, .index = inner});
  check_misuse(sketch.program);
}

TEST_CASE("C: memory is asked for in a region that has been freed") {
  for (const sched::Topology& topology : topologies()) {
    Prompter main(topology, 1);
    const proto::NodeId old = main.new_region(proto::kRootRegion, 0);
    CHECK(main.region_made.made);
    CHECK(main.allocate(old) != 0);
    CHECK(main.spawn(old, proto::Purpose::FreeRegion));
    CHECK(main.machine.misuse().empty());
    CHECK(main.allocate(old) == 0);
    static_cast<void>(main.new_region(old, 0));
    CHECK_FALSE(main.region_made.made);
  }
}

TEST_CASE("D: a pointer into the middle of an object is taken for an object") {
  for (const sched::Topology& topology : topologies()) {
    check_unknown(topology, [](Prompter& main) {
      const proto::NodeId home = main.new_region(proto::kRootRegion, 0);
      return proto::NodeId::object(main.allocate(home) + 64);
    });
  }
}

TEST_CASE("D: an object is freed twice") {
  Sketch sketch;
  const unsigned home = sketch.new_region(kMainTask, kRootRegion);
  const unsigned old = sketch.new_object(kMainTask, home);
  sketch.add(kMainTask, {.kind = Step::Kind::Free, .index = old});
  sketch.add(kMainTask, {.kind = Step::Kind::Free, .index = old});
  check_misuse(sketch.program);
}

TEST_CASE("D: a task uses an object that has been freed") {
  Sketch sketch;
  const unsigned home = sketch.new_region(kMainTask, kRootRegion);
  const unsigned old = sketch.new_object(kMainTask, home);
  sketch.add(kMainTask, {.kind = Step::Kind::Free, .index = old});
  sketch.spawn(kMainTask, {object(old, Mode::InOut)});
  check_misuse(sketch.program);
}

TEST_CASE("D: a task uses a region that has been freed") {
  Sketch sketch;
  const unsigned outer = sketch.new_region(kMainTask, kRootRegion);
  const unsigned inner = sketch.new_region(kMainTask, outer);
  sketch.add(kMainTask, {.kind = Step::Kind::FreeRegion, .index = outer});
  sketch.spawn(kMainTask, {region(inner, Mode::In)});
  check_misuse(sketch.program);
}

TEST_CASE("D: a task frees its own region") {
  Sketch sketch;
  const unsigned own = sketch.new_region(kMainTask, kRootRegion);
  const unsigned task = sketch.spawn(kMainTask, {region(own, Mode::InOut)});
  sketch.add(task, {.kind = Step::Kind::FreeRegion, .index = own});
  check_misuse(sketch.program);
}

TEST_CASE("F: what a task makes in an empty region is fetched from another worker") {
  Sketch sketch;
  const unsigned empty = sketch.new_region(kMainTask, kRootRegion);
  const unsigned inside = sketch.new_region(kMainTask, empty);
  const unsigned maker = sketch.spawn(kMainTask, {region(empty, Mode::Out)});
  const unsigned made = sketch.new_object(maker, empty);
  const unsigned made_inside = sketch.new_object(maker, inside);
  for (const Mode mode : {Mode::In, Mode::InOut, Mode::In}) {
    const unsigned user = sketch.spawn(kMainTask, {region(empty, mode)});
    sketch.touch(user, made, mode);
    sketch.touch(user, made_inside, mode);
  }
  check_serial(sketch.program);
}

TEST_CASE("G: the answer of an empty region gets lost, and a task waits for it forever") {
  Sketch sketch;
  const unsigned outer = sketch.new_region(kMainTask, kRootRegion);
  std::vector<Access> many;
  for (unsigned i = 0; i < 12; ++i) {
    const unsigned part = sketch.new_region(kMainTask, outer);
    many.push_back(region(part, i % 2 == 0 ? Mode::In : Mode::InOut));
    if (i % 3 == 0) sketch.new_object(kMainTask, part);
  }
  sketch.spawn(kMainTask, many);
  sketch.touch(sketch.spawn(kMainTask, {region(outer, Mode::In)}), 0, Mode::In);
  sketch.spawn(kMainTask, {region(outer, Mode::InOut)});
  sketch.spawn(kMainTask, many);
  check_serial(sketch.program);
}

TEST_CASE("J: numbers lose their upper half") {
  const proto::AgentId agent = proto::kAgentsMax - 2;
  const std::uint64_t serial = (std::uint64_t{1} << proto::kRegionSerialBits) - 1;
  CHECK(proto::owner_of_region(proto::make_region_id(agent, serial)) == agent);
  CHECK(proto::make_region_id(agent, serial).is_region());
  const proto::TaskId task = proto::make_task_id(agent, 1, true, 1);
  CHECK(proto::home_of(task) == agent);
  CHECK(proto::needs_data(task));
}

TEST_CASE("K: a task that names the same node twice waits for itself") {
  Sketch sketch;
  const unsigned outer = sketch.new_region(kMainTask, kRootRegion);
  const unsigned inner = sketch.new_region(kMainTask, outer);
  const unsigned part = sketch.new_object(kMainTask, inner);
  for (const Mode one : {Mode::In, Mode::InOut}) {
    for (const Mode two : {Mode::In, Mode::InOut}) {
      sketch.spawn_touch(kMainTask, part, Mode::InOut);
      for (const Access& other : {object(part, two), region(inner, two), region(outer, two)}) {
        sketch.touch(sketch.spawn(kMainTask, {object(part, one), other}), part, one);
        sketch.touch(sketch.spawn(kMainTask, {other, object(part, one)}), part, one);
      }
      sketch.spawn(kMainTask, {region(outer, one), region(inner, two), region(outer, two)});
    }
  }
  check_serial(sketch.program);
}

TEST_CASE("L: a task without dependences never starts") {
  Sketch sketch;
  const unsigned parent = sketch.spawn(kMainTask, {});
  sketch.spawn(parent, {});
  sketch.spawn(kMainTask, {});
  check_serial(sketch.program);
}

TEST_CASE("M: requests that are refused leave something behind") {
  for (const sched::Topology& topology : topologies()) {
    Prompter main(topology, 1);
    const proto::NodeId unknown = proto::make_region_id(proto::kTop, 77);
    static_cast<void>(main.new_region(unknown, 0));
    CHECK_FALSE(main.region_made.made);
    CHECK(main.allocate(unknown) == 0);
    main.machine.ended(main.worker(), sched::kMain);
    CHECK(main.say(proto::kTop, proto::BodyEnded{.task = sched::kMain}));
    CHECK(main.machine.all_idle());
  }
}

// Nobody takes anything before chance wants it, so all channels fill.
TEST_CASE("N, O: schedulers that have much to say stop listening") {
  Sketch sketch;
  const unsigned home = sketch.new_region(kMainTask, kRootRegion);
  const unsigned busy = sketch.new_object(kMainTask, home);
  for (int i = 0; i < 300; ++i) {
    sketch.spawn_touch(kMainTask, busy, i % 4 == 0 ? Mode::InOut : Mode::In);
  }
  const random_test::Outcome expected = random_test::run_serially(sketch.program);
  for (const sched::Topology& topology : topologies()) {
    const AgentsRun run = run_on_agents(sketch.program, topology, 1);
    CHECK(run.failure.empty());
    CHECK(run.outcome == expected);
  }
}
