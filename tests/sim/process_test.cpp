// SPDX-License-Identifier: Apache-2.0
//
// What schedulers do for machines of several processes: tasks that one worker alone can run, and
// failures that travel with the ends of tasks.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "micro/sim_store.hpp"
#include "sched/queued_tree.hpp"

namespace myr::process_test {

using proto::AgentId;
using sched::Topology;

namespace {

constexpr proto::PageRun kMemory{.first = 1, .count = 1000};

// The schedulers of a tree; the test plays main, and all tasks, which end when it says so.
class Tree {
 public:
  explicit Tree(const std::vector<unsigned>& fan_outs)
      : topology_(Topology::of_fan_outs(fan_outs)),
        tree_(
            topology_, {.memory = kMemory}, [] { return std::make_unique<bench::SimStore>(); },
            [this](AgentId worker, proto::Message&& message) { take(worker, message.body); }) {}

  [[nodiscard]] const Topology& topology() const { return topology_; }

  // `name`: to find it by.
  void spawn(proto::TaskId parent, std::uint64_t name, AgentId bound_to = proto::kNoAgent) {
    auto task = std::make_unique<proto::Task>();
    task->parent = parent;
    task->program = name;
    task->time = clocks_[parent].spawn();
    if (bound_to != proto::kNoAgent) {
      task->parcel = std::make_shared<proto::Parcel>(proto::Parcel{.bound_to = bound_to});
    }
    say(parent, proto::Spawn{.task = std::move(task)});
  }
  void end(std::uint64_t name, bool fails = false) {
    const proto::TaskId id = running_.at(name).work.task;
    proto::BodyEnded ended{.task = id};
    if (fails) {
      ended.failure = std::make_shared<proto::Failure>(
          proto::Failure{.time = clocks_[id].now(), .bytes = {std::byte(name)}});
    }
    say(id, std::move(ended));
  }
  // What the first failure said; none: there was none.
  std::optional<std::uint64_t> wait_all() {
    over_.reset();
    say(proto::kMain, proto::WaitAll{.task = proto::kMain, .time = clocks_[proto::kMain].now()});
    REQUIRE(over_.has_value());
    if (over_->failure == nullptr) return {};
    return std::to_integer<std::uint64_t>(over_->failure->bytes.front());
  }
  [[nodiscard]] AgentId worker_of(std::uint64_t name) const { return running_.at(name).worker; }
  [[nodiscard]] proto::TaskId id_of(std::uint64_t name) const {
    return running_.at(name).work.task;
  }

 private:
  struct Running {
    AgentId worker;
    proto::Work work;
  };
  void say(proto::TaskId task, proto::Body body) {
    const AgentId worker =
        worker_of_.count(task) == 0 ? topology_.workers().front() : worker_of_.at(task);
    tree_.send(worker, {.to = proto::home_of(task), .body = std::move(body)});
    tree_.deliver();
  }
  void take(AgentId worker, proto::Body& body) {
    if (auto* over = std::get_if<proto::WaitOver>(&body)) {
      over_ = std::move(*over);
    } else {
      proto::Work& work = std::get<proto::Execute>(body).work;
      worker_of_[work.task] = worker;
      clocks_[work.task] = proto::SerialClock(work.time);
      running_[work.program] = {worker, std::move(work)};
    }
  }

  const Topology topology_;
  sched::QueuedTree tree_;
  std::map<std::uint64_t, Running> running_;
  std::map<proto::TaskId, AgentId> worker_of_;
  std::map<proto::TaskId, proto::SerialClock> clocks_;
  std::optional<proto::WaitOver> over_;
};

}  // namespace

TEST_CASE("a task that one worker alone can run comes to it, however much it has to do") {
  for (const std::vector<unsigned>& shape : {std::vector<unsigned>{3}, {2, 3}, {2, 2, 2}}) {
    Tree tree(shape);
    const AgentId last = tree.topology().workers().back();
    for (std::uint64_t name = 1; name <= 10; ++name) tree.spawn(proto::kMain, name, last);
    for (std::uint64_t name = 1; name <= 10; ++name) {
      CHECK(tree.worker_of(name) == last);
      tree.end(name);
    }
    CHECK_FALSE(tree.wait_all().has_value());
  }
}

TEST_CASE("a wait brings the failure that the serial program would have thrown first") {
  Tree tree({2, 2});
  for (std::uint64_t name = 1; name <= 3; ++name) tree.spawn(proto::kMain, name);
  tree.end(3, true);
  tree.end(2, true);
  tree.end(1);
  CHECK(tree.wait_all() == 2);
  CHECK_FALSE(tree.wait_all().has_value());
}

TEST_CASE("a failure that no wait takes below passes to the task above") {
  Tree tree({2, 2});
  tree.spawn(proto::kMain, 1);
  tree.spawn(tree.id_of(1), 2);
  tree.spawn(tree.id_of(2), 3);
  tree.end(1);
  tree.end(2);
  tree.end(3, true);
  CHECK(tree.wait_all() == 3);
}

}  // namespace myr::process_test
