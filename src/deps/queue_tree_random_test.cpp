// SPDX-License-Identifier: Apache-2.0
//
// Random programs on random trees of schedulers, each with a QueueTree of its own and with channels
// that deliver in order but whenever chance wants: the result must be the serial one, nobody may
// wait for ever, and no count may be left over. MYR_TEST_SEED=N repeats one program.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/sanitized.hpp"
#include "deps/queue_tree.hpp"

using namespace myr::deps;

namespace {

constexpr std::size_t kCells = 4;  // of each object

// An access to a region or an object, or to a part of an object: to some of its cells.
struct Access {
  NodeId node;
  Mode mode;
  bool is_part = false;
  std::size_t begin = 0;
  std::size_t end = kCells;

  [[nodiscard]] bool meets(const Access& other) const {
    return node == other.node && begin < other.end && other.begin < end;
  }
  [[nodiscard]] bool holds(const Access& inner) const {
    return begin <= inner.begin && inner.end <= end && (inner.is_part || !is_part);
  }
};

// A task touches all it has, then spawns its children, then ends. One that passes, as a loop does,
// touches nothing.
struct Task {
  std::size_t parent = 0;
  std::vector<Access> accesses;
  bool passes = false;
  std::vector<std::size_t> children;

  [[nodiscard]] bool has_parts() const {
    return std::any_of(accesses.begin(), accesses.end(), [](const Access& a) { return a.is_part; });
  }
  [[nodiscard]] bool is_loop() const { return passes && !has_parts(); }
};

// Children of one task that use parts of the same object, whose order the queues leave to others.
bool are_kept_in_order(const Task& a, const Task& b) {
  for (const Access& one : a.accesses) {
    for (const Access& other : b.accesses) {
      const bool writes = one.mode == Mode::Write || other.mode == Mode::Write;
      if (one.is_part && other.is_part && one.meets(other) && writes) return true;
    }
  }
  return false;
}

// Does the child use what its parent has a part of?
bool uses_parts_of(const Task& child, const Task& parent) {
  for (const Access& one : child.accesses) {
    for (const Access& other : parent.accesses) {
      if (one.is_part && other.is_part && one.meets(other)) return true;
    }
  }
  return false;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::mt19937_64 engine_;
};

// Regions, objects, and the schedulers that own them: a tree each.
struct World {
  std::vector<std::size_t> scheduler_parent{0};
  std::map<NodeId, NodeId> parent;
  std::map<NodeId, std::size_t> owner;
  std::vector<NodeId> nodes;
  std::vector<NodeId> objects;

  explicit World(Random& random) {
    const std::size_t schedulers = 1 + random.below(6);
    for (std::size_t s = 1; s < schedulers; ++s) scheduler_parent.push_back(random.below(s));
    add(NodeId::region(0), NodeId::region(0), 0);
    for (std::size_t r = 1; r < 2 + random.below(7); ++r) {
      const NodeId above = NodeId::region(random.below(r));
      add(NodeId::region(r), above, owner_of_child(random, owner[above]));
    }
    const std::size_t regions = nodes.size();
    for (std::size_t o = 1; o < 2 + random.below(6); ++o) {
      const NodeId above = nodes[random.below(regions)];
      objects.push_back(NodeId::object(64 * o));
      add(objects.back(), above, owner[above]);
    }
  }
  void add(NodeId node, NodeId above, std::size_t scheduler) {
    nodes.push_back(node);
    parent[node] = above;
    owner[node] = scheduler;
  }
  // The owner of the region around it, or one level down.
  std::size_t owner_of_child(Random& random, std::size_t scheduler) const {
    std::vector<std::size_t> choices{scheduler};
    for (std::size_t s = 1; s < scheduler_parent.size(); ++s) {
      if (scheduler_parent[s] == scheduler) choices.push_back(s);
    }
    return choices[random.below(choices.size())];
  }
  [[nodiscard]] bool inside(NodeId node, NodeId outer) const {
    for (;; node = parent.at(node)) {
      if (node == outer) return true;
      if (parent.at(node) == node) return false;
    }
  }
  [[nodiscard]] Path path(NodeId from, NodeId to) const {
    Path path{to};
    while (path.front() != from) path.insert(path.begin(), parent.at(path.front()));
    return path;
  }
  [[nodiscard]] bool is_below(std::size_t scheduler, std::size_t above) const {
    for (;; scheduler = scheduler_parent[scheduler]) {
      if (scheduler == above) return true;
      if (scheduler == 0) return false;
    }
  }
  // The next scheduler on the way.
  [[nodiscard]] std::size_t next_hop(std::size_t from, std::size_t to) const {
    if (!is_below(to, from)) return scheduler_parent[from];
    while (scheduler_parent[to] != from) to = scheduler_parent[to];
    return to;
  }
};

struct Program {
  World world;
  std::vector<Task> tasks{{}};  // task 0 is main

  explicit Program(Random& random) : world(random) {
    tasks[0].accesses = {{NodeId::region(0), Mode::Write}};
    grow(random, 0, 4);
  }
  void grow(Random& random, std::size_t parent, unsigned depth) {
    for (std::size_t n = random.below(depth == 4 ? 12 : 5); n > 0 && depth > 0; --n) {
      const std::size_t task = tasks.size();
      tasks.push_back({.parent = parent,
                       .accesses = choose(random, tasks[parent].accesses),
                       .passes = random.chance(30)});
      tasks[parent].children.push_back(task);
      grow(random, task, depth - 1);
    }
  }
  // Within what the parent has; overlapping accesses of one task only read, and are to all of it.
  std::vector<Access> choose(Random& random, const std::vector<Access>& held) const {
    std::vector<Access> chosen;
    for (std::size_t n = 1 + random.below(5); n > 0; --n) {
      const NodeId node = world.nodes[random.below(world.nodes.size())];
      Access access{.node = node, .mode = random.chance(50) ? Mode::Read : Mode::Write};
      if (!node.is_region() && random.chance(60)) {
        access.is_part = true;
        access.begin = random.below(kCells);
        access.end = access.begin + 1 + random.below(kCells - access.begin);
      }
      if (may_use(held, access) && fits(chosen, access)) chosen.push_back(access);
    }
    return chosen;
  }
  [[nodiscard]] bool may_use(const std::vector<Access>& held, const Access& access) const {
    for (const Access& outer : held) {
      const bool is_inside = outer.is_part ? access.node == outer.node && outer.holds(access)
                                           : world.inside(access.node, outer.node);
      if (is_inside && access.mode <= outer.mode) return true;
    }
    return false;
  }
  [[nodiscard]] bool fits(const std::vector<Access>& chosen, const Access& access) const {
    for (const Access& other : chosen) {
      if (other.node == access.node) return false;
      const bool overlaps =
          world.inside(access.node, other.node) || world.inside(other.node, access.node);
      const bool may = access.mode == Mode::Read && other.mode == Mode::Read && !access.is_part &&
                       !other.is_part;
      if (overlaps && !may) return false;
    }
    return true;
  }
};

// What tasks compute: reading mixes an object's value into the task's, writing the other way round.
struct Memory {
  std::map<std::pair<NodeId, std::size_t>, std::uint64_t> values;
  std::vector<std::uint64_t> seen;

  explicit Memory(const Program& program) : seen(program.tasks.size()) {}
  void run(const Program& program, std::size_t task) {
    if (program.tasks[task].passes) return;
    for (const Access& access : program.tasks[task].accesses) {
      for (const NodeId object : program.world.objects) {
        if (!program.world.inside(object, access.node)) continue;
        for (std::size_t cell = access.begin; cell < access.end; ++cell) {
          std::uint64_t& value = values[{object, cell}];
          seen[task] = (seen[task] + value) * 0x9E3779B97F4A7C15ULL;
          if (access.mode == Mode::Write) value = seen[task] + task;
        }
      }
    }
  }
  void run_serially(const Program& program, std::size_t task) {
    run(program, task);
    for (const std::size_t child : program.tasks[task].children) run_serially(program, child);
  }
};

// All schedulers, their channels, and the tasks that run.
class Machine {
 public:
  Machine(const Program& program, Random& random)
      : program_(program), random_(random), memory_(program), state_(program.tasks.size()) {
    for (std::size_t s = 0; s < world().scheduler_parent.size(); ++s) {
      schedulers_.push_back(std::make_unique<Scheduler>(*this, s));
    }
    for (const NodeId node : world().nodes) {
      if (node.is_region()) owner(node).tree.add_region(node, world().parent.at(node));
    }
    owner(NodeId::region(0)).tree.hold(0, NodeId::region(0));
    start(0);
  }

  // Chance chooses what happens next, until nothing can.
  const Memory& run() {
    for (;;) {
      std::vector<std::deque<std::function<void()>>*> channels;
      for (auto& [ends, channel] : channels_) {
        if (!channel.empty()) channels.push_back(&channel);
      }
      const std::size_t choices = channels.size() + running_.size();
      if (choices == 0) return memory_;
      for (const auto& scheduler : schedulers_) {
        const char* broken = scheduler->tree.broken_invariant();
        if (broken != nullptr) FAIL_CHECK(broken);
      }
      const std::size_t choice = random_.below(choices);
      if (choice >= channels.size()) {
        step(choice - channels.size());
        continue;
      }
      const std::function<void()> event = std::move(channels[choice]->front());
      channels[choice]->pop_front();
      event();
    }
  }
  [[nodiscard]] bool all_idle() const {
    for (const auto& scheduler : schedulers_) {
      for (const NodeId node : world().nodes) {
        if (!scheduler->tree.is_idle(node)) return false;
      }
    }
    return true;
  }
  [[nodiscard]] std::size_t completed() const { return completed_; }

 private:
  struct Scheduler final : Effects {
    Scheduler(Machine& machine_of, std::size_t own) : machine(machine_of), index(own) {}
    void granted(TaskId task, NodeId, NodeId) override {
      machine.send(index, machine.home(task), [this, task] { machine.count_granted(task); });
    }
    void hand_down(Use use, Ways ways) override {
      Scheduler& to = machine.owner(ways.first());
      machine.send(index, to.index, [&to, use, ways] { to.tree.arrive(use, ways); });
    }
    void hand_up(NodeId node, const Ended& ended) override {
      Scheduler& to = machine.owner(node);
      machine.send(index, to.index, [&to, node, ended] { to.tree.ended_below(node, ended); });
    }
    Machine& machine;
    std::size_t index;
    QueueTree tree{*this};
  };
  struct State {
    std::size_t granted = 0;
    std::size_t spawned = 0;
    std::size_t children = 0;  // that have not completed, and one for elders of a task that passes
    std::size_t elders = 0;    // siblings that have not completed and keep it
    bool waits_for_elders = false;  // as far as its home knows
    bool has_ended = false;
    bool is_complete = false;
    std::vector<std::size_t> followers;      // siblings that it keeps
    std::vector<std::size_t> behind_elders;  // children that those who keep it keep
  };

  [[nodiscard]] const World& world() const { return program_.world; }
  Scheduler& owner(NodeId node) { return *schedulers_[world().owner.at(node)]; }

  // The lowest scheduler above the owners of all that the task uses; for a loop, and its children,
  // of all that it writes. It is never elsewhere than below the parent's home.
  [[nodiscard]] std::size_t home(std::size_t task) const {
    if (task == 0) return 0;
    const Task& plan = program_.tasks[task];
    const bool is_loop = plan.is_loop() || program_.tasks[plan.parent].is_loop();
    const auto counts = [&](const Access& access) {
      return !is_loop || access.mode == Mode::Write;
    };
    const std::size_t maker = home(plan.parent);
    std::size_t lowest = maker;
    for (std::size_t s = 0; s < world().scheduler_parent.size(); ++s) {
      bool is_above = world().is_below(s, lowest);
      bool has_some = false;
      for (const Access& access : plan.accesses) {
        if (!counts(access)) continue;
        has_some = true;
        is_above = is_above && world().is_below(world().owner.at(access.node), s);
      }
      if (is_above && has_some) lowest = s;
    }
    return lowest;
  }

  // Hop by hop: each hop is a channel of its own.
  void send(std::size_t from, std::size_t to, std::function<void()> event) {
    if (from == to) {
      event();
      return;
    }
    const std::size_t hop = world().next_hop(from, to);
    channels_[{from, hop}].push_back([this, hop, to, event] { send(hop, to, event); });
  }

  [[nodiscard]] const Task& plan(std::size_t task) const { return program_.tasks[task]; }

  void count_granted(std::size_t task) {
    state_[task].granted += 1;
    start_if_ready(task);
  }
  // One that passes leaves waiting for its elders to its children.
  void start_if_ready(std::size_t task) {
    const State& state = state_[task];
    if (state.granted != plan(task).accesses.size()) return;
    if (plan(task).passes || !state.waits_for_elders) start(task);
  }
  void start(std::size_t task) {
    memory_.run(program_, task);
    running_.push_back(task);
  }
  // Spawns the next child, or ends.
  void step(std::size_t index) {
    const std::size_t task = running_[index];
    if (state_[task].spawned < plan(task).children.size()) {
      spawn(task, plan(task).children[state_[task].spawned++]);
      return;
    }
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(index));
    state_[task].has_ended = true;
    leave(task, false);
    complete_if_over(task);
  }
  void spawn(std::size_t parent, std::size_t task) {
    state_[parent].children += 1;
    find_elders(parent, task);
    if (plan(task).accesses.empty()) {
      start(task);
      return;
    }
    for (auto& [use, ways] : ways_of(parent, task)) {
      Scheduler& to = owner(ways.first());
      send(home(parent), to.index, [&to, parent, use, ways] { to.tree.enter(parent, use, ways); });
    }
  }
  void find_elders(std::size_t parent, std::size_t task) {
    const auto wait_in = [&](std::vector<std::size_t>& waiting) {
      waiting.push_back(task);
      state_[task].elders += 1;
    };
    for (const std::size_t elder : plan(parent).children) {
      if (elder == task) break;
      if (state_[elder].is_complete || !are_kept_in_order(plan(elder), plan(task))) continue;
      wait_in(state_[elder].followers);
    }
    if (state_[parent].waits_for_elders && uses_parts_of(plan(task), plan(parent))) {
      wait_in(state_[parent].behind_elders);
    }
    state_[task].waits_for_elders = state_[task].elders != 0;
    if (plan(task).passes && state_[task].waits_for_elders) state_[task].children += 1;
  }
  // At the end of its body what it has whole, then parts.
  void leave(std::size_t task, bool parts) {
    for (auto& [owner, targets] : of_each_owner(plan(task), parts)) {
      send(home(task), owner,
           [this, owner, task, targets] { schedulers_[owner]->tree.done(task, targets); });
    }
  }
  void complete_if_over(std::size_t task) {
    if (!state_[task].has_ended || state_[task].children != 0) return;
    completed_ += 1;
    leave(task, true);
    const std::size_t parent = plan(task).parent;
    if (task == 0) return;
    send(home(task), home(parent), [this, parent, task] {
      state_[task].is_complete = true;
      child_completed(parent, state_[task].followers);
    });
  }
  void child_completed(std::size_t parent, const std::vector<std::size_t>& followers) {
    for (const std::size_t task : followers) {
      state_[task].elders -= 1;
      if (state_[task].elders != 0) continue;
      send(home(parent), home(task), [this, task] {
        state_[task].waits_for_elders = false;
        plan(task).passes ? child_completed(task, state_[task].behind_elders)
                          : start_if_ready(task);
      });
    }
    state_[parent].children -= 1;
    complete_if_over(parent);
  }
  [[nodiscard]] std::map<std::size_t, std::vector<NodeId>> of_each_owner(const Task& plan,
                                                                         bool parts) const {
    std::map<std::size_t, std::vector<NodeId>> targets;
    for (const Access& access : plan.accesses) {
      if (access.is_part == parts) targets[world().owner.at(access.node)].push_back(access.node);
    }
    return targets;
  }
  // Those that can go together mostly do.
  std::vector<std::pair<Use, Ways>> ways_of(std::size_t parent, std::size_t task) {
    std::vector<std::pair<Use, Ways>> all;
    for (const Access& access : program_.tasks[task].accesses) {
      const Path path = world().path(highest_held(parent, access.node), access.node);
      const Use use{.task = task,
                    .mode = access.mode,
                    .passes = program_.tasks[task].passes,
                    .parts_of = access.is_part ? parent : Use::kWhole};
      const auto goes_along = [&](const std::pair<Use, Ways>& other) {
        const Ways& ways = other.second;
        return other.first == use && ways.size() - ways.count == path.size() - 1 &&
               std::equal(path.begin(), path.end() - 1, ways.nodes.begin()) &&
               world().owner.at(ways.first()) == world().owner.at(path.front());
      };
      const auto with = std::find_if(all.begin(), all.end(), goes_along);
      if (with != all.end() && random_.chance(80)) {
        with->second.nodes.push_back(access.node);
        with->second.count += 1;
      } else {
        all.push_back({use, {}});
        all.back().second.nodes.append(path.begin(), path.end());
      }
    }
    return all;
  }
  [[nodiscard]] NodeId highest_held(std::size_t task, NodeId node) const {
    NodeId highest = node;
    for (;; node = world().parent.at(node)) {
      for (const Access& access : program_.tasks[task].accesses) {
        if (access.node == node) highest = node;
      }
      if (world().parent.at(node) == node) return highest;
    }
  }

  const Program& program_;
  Random& random_;
  Memory memory_;
  std::vector<State> state_;
  std::vector<std::unique_ptr<Scheduler>> schedulers_;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<std::function<void()>>> channels_;
  std::vector<std::size_t> running_;
  std::size_t completed_ = 0;
};

void check_program(std::uint64_t seed) {
  CAPTURE(seed);
  Random random(seed);
  const Program program(random);
  Memory expected(program);
  expected.run_serially(program, 0);
  Machine machine(program, random);
  const Memory& memory = machine.run();
  REQUIRE(machine.completed() == program.tasks.size());
  REQUIRE(memory.seen == expected.seen);
  REQUIRE(memory.values == expected.values);
  REQUIRE(machine.all_idle());
}

}  // namespace

TEST_CASE("random programs on random trees of schedulers end with the serial result") {
  if (const char* seed = std::getenv("MYR_TEST_SEED")) {
    check_program(std::strtoull(seed, nullptr, 10));
    return;
  }
  const std::uint64_t fresh = std::random_device{}();
  constexpr std::uint64_t kPrograms = myr::base::kIsSanitized ? 500 : 5'000;
  for (std::uint64_t i = 0; i < kPrograms; ++i) check_program(i);
  for (std::uint64_t i = 0; i < kPrograms; ++i) check_program(fresh + i);
}
