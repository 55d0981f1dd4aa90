// SPDX-License-Identifier: Apache-2.0
//
// No worker is idle while a task waits that it may run: not behind another task, and not at a
// scheduler. The product's schedulers and workers; a task runs until the test ends it.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "micro/sim_store.hpp"
#include "sched/queued_tree.hpp"
#include "sched/serial_worker.hpp"

namespace myr::take_back_test {

using proto::AgentId;
using proto::NodeId;
using proto::TaskId;
using sched::Topology;

namespace {

constexpr proto::PageRun kMemory{.first = 1, .count = 1 << 20};

class Tree {
 public:
  Tree(const std::vector<unsigned>& fan_outs, bool moves_data,
       std::optional<std::uint64_t> chaos = {})
      : topology_(Topology::of_fan_outs(fan_outs)),
        tree_(
            topology_,
            {.moves_data = moves_data, .takes_back = true, .memory = kMemory, .chaos = chaos},
            [] { return std::make_unique<bench::SimStore>(); },
            [this](AgentId worker, proto::Message&& message) {
              take(worker, std::move(message));
            }) {
    for (const AgentId worker : topology_.workers()) {
      hands_[worker] = std::make_unique<WorkerHands>(*this, worker);
    }
    hands_.at(main_worker())->running = proto::kMain;
    hands_.at(main_worker())->start_main(proto::kMain);
  }

  [[nodiscard]] const Topology& topology() const { return topology_; }

  // In one of the leaves.
  NodeId new_region() {
    say(
        proto::NewRegion{
            .request = 0, .asker = main_worker(), .parent = proto::kRootRegion, .level_hint = -1},
        proto::kTop);
    return made_;
  }
  // By main. A task on the region has its home at the owner.
  void spawn(std::optional<NodeId> region = {}) {
    auto task = std::make_unique<proto::Task>();
    task->parent = proto::kMain;
    task->program = homes_.size();
    task->time = clock_.spawn();
    homes_.push_back(region ? proto::owner_of_region(*region) : proto::kTop);
    if (region) task->accesses.push_back({.node = *region});
    waiting_.push_back(task->program);
    say(proto::Spawn{.task = std::move(task)}, proto::kTop);
  }
  void main_waits() {
    hands_.at(main_worker())->running.reset();
    hands_.at(main_worker())->waits(proto::kMain);
    say(proto::WaitAll{.task = proto::kMain, .time = clock_.now()}, proto::kTop);
  }
  // Ends one of those that run, but not main.
  void end(std::size_t which) {
    std::vector<WorkerHands*> busy;
    for (auto& [worker, hands] : hands_) {
      if (hands->running && *hands->running != proto::kMain) busy.push_back(hands.get());
    }
    if (busy.empty()) return;
    WorkerHands& hands = *busy[which % busy.size()];
    const TaskId task = *std::exchange(hands.running, {});
    tree_.send(hands.self, {.to = proto::home_of(task), .body = proto::BodyEnded{.task = task}});
    hands.ended(task);
    settle();
  }
  [[nodiscard]] bool is_over() const { return hands_.at(main_worker())->running == proto::kMain; }
  [[nodiscard]] std::size_t running_count() const {
    return static_cast<std::size_t>(
        std::count_if(hands_.begin(), hands_.end(),
                      [](const auto& hands) { return hands.second->running.has_value(); }));
  }
  // A worker that is idle though it may run a task that waits; none: there is none.
  [[nodiscard]] std::optional<AgentId> idle_in_vain() const {
    for (const auto& [worker, hands] : hands_) {
      const AgentId idle = worker;
      if (hands->running) continue;
      if (std::any_of(waiting_.begin(), waiting_.end(), [&](std::uint64_t program) {
            return topology_.is_within(idle, homes_[program]);
          })) {
        return idle;
      }
    }
    return {};
  }
  [[nodiscard]] std::uint64_t given_back() const { return given_back_; }

 private:
  struct WorkerHands final : sched::Data, sched::SerialWorker {
    WorkerHands(Tree& tree_of, AgentId own)
        : sched::SerialWorker(static_cast<sched::Data&>(*this), own), tree(tree_of), self(own) {}
    bool fetch(Ticket ticket, const proto::Pieces&, const proto::Work*) override {
      fetching.push_back(ticket);
      return false;
    }
    void begin(const proto::Work& work) override {
      std::erase(tree.waiting_, work.program);
      running = work.task;
    }
    void go_on(TaskId task) override { running = task; }
    void give_back(proto::GivenBack answer) override {
      tree.given_back_ += answer.work.task == proto::kMain ? 0 : 1;
      const AgentId scheduler = tree.topology_.parent(self);
      tree.tree_.send(self, {.to = scheduler, .body = std::move(answer)});
    }
    void take_answer(proto::RegionMade made) override { tree.made_ = made.region; }
    void take_answer(proto::Allocated) override {}
    Tree& tree;
    AgentId self;
    std::deque<Ticket> fetching;
    std::optional<TaskId> running;
  };

  [[nodiscard]] AgentId main_worker() const { return topology_.workers().front(); }
  void say(proto::Body body, AgentId to) {
    tree_.send(main_worker(), {.to = to, .body = std::move(body)});
    settle();
  }
  void take(AgentId worker, proto::Message&& message) {
    hands_.at(worker)->worker().receive(message.body);
  }
  // Until nothing is under way, data neither.
  void settle() {
    for (bool is_over = false; !is_over;) {
      is_over = true;
      tree_.deliver();
      for (auto& [worker, hands] : hands_) {
        for (; !hands->fetching.empty(); is_over = false) {
          const sched::Data::Ticket ticket = hands->fetching.front();
          hands->fetching.pop_front();
          hands->worker().fetched(ticket);
        }
      }
    }
  }

  const Topology topology_;
  sched::QueuedTree tree_;
  std::map<AgentId, std::unique_ptr<WorkerHands>> hands_;
  proto::SerialClock clock_;
  std::vector<AgentId> homes_;          // of tasks, by program
  std::vector<std::uint64_t> waiting_;  // programs of tasks that have not begun
  NodeId made_{};
  std::uint64_t given_back_ = 0;
};

}  // namespace

TEST_CASE("when main waits, as many tasks as there are workers run on one each") {
  for (const std::vector<unsigned>& fan_outs :
       {std::vector<unsigned>{2}, {3}, {8}, {1, 2}, {2, 2}, {2, 1}, {3, 4}, {2, 2, 2}}) {
    for (const bool moves_data : {false, true}) {
      CAPTURE(fan_outs);
      CAPTURE(moves_data);
      Tree tree(fan_outs, moves_data);
      for (std::size_t i = 0; i < tree.topology().workers().size(); ++i) tree.spawn();
      tree.main_waits();
      CHECK(tree.running_count() == tree.topology().workers().size());
    }
  }
}

TEST_CASE("random tasks that begin and end leave nobody idle in vain") {
  constexpr unsigned kPrograms = 300;
  const std::uint64_t first_seed = std::random_device{}();
  std::uint64_t given_back = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + kPrograms; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<unsigned> fan_outs;
    for (std::uint64_t levels = 1 + random() % 3; levels != 0; --levels) {
      fan_outs.push_back(1 + static_cast<unsigned>(random() % 4));
    }
    Tree tree(fan_outs, random() % 2 == 0,
              random() % 4 == 0 ? std::optional<std::uint64_t>(seed) : std::nullopt);
    std::vector<NodeId> regions(1 + random() % 4);
    for (NodeId& region : regions) region = tree.new_region();
    const std::uint64_t on_region = random() % 4;   // of four tasks
    const std::uint64_t spawns = 1 + random() % 3;  // of four steps
    for (unsigned step = 0; step < 200; ++step) {
      if (random() % 4 >= spawns) {
        tree.end(random());
      } else if (random() % 4 < on_region) {
        tree.spawn(regions[random() % regions.size()]);
      } else {
        tree.spawn();
      }
      REQUIRE_FALSE(tree.idle_in_vain());
    }
    tree.main_waits();
    REQUIRE_FALSE(tree.idle_in_vain());
    while (!tree.is_over()) {
      REQUIRE(tree.running_count() != 0);
      tree.end(random());
      REQUIRE_FALSE(tree.idle_in_vain());
    }
    given_back += tree.given_back();
  }
  CHECK(given_back > kPrograms);
}

}  // namespace myr::take_back_test
