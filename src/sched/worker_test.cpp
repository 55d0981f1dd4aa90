// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sched/serial_worker.hpp"

using namespace myr;
using proto::AgentId;
using proto::TaskId;

namespace {

constexpr AgentId kSelf = 3;  // below the schedulers 0 and 1
constexpr AgentId kLower = 1;

// Notes what the worker wants. The test says when data has come.
class Noted final : public sched::Data, public sched::SerialWorker {
 public:
  Noted() : sched::SerialWorker(static_cast<sched::Data&>(*this), kSelf) {}
  bool fetch(Ticket ticket, const proto::Pieces&, const proto::Work* work) override {
    fetching[work->task] = ticket;
    return false;
  }
  void begin(const proto::Work& work) override { begun.push_back(work.task); }
  void go_on(TaskId) override {}
  void give_back(proto::GivenBack answer) override { given.push_back(std::move(answer)); }
  void take_answer(proto::RegionMade) override {}
  void take_answer(proto::Allocated) override {}

  std::map<TaskId, Ticket> fetching;
  std::vector<TaskId> begun;
  std::vector<proto::GivenBack> given;
};

TaskId task_of(AgentId home, std::uint64_t number) {
  return proto::make_task_id(home, 0, true, number);
}

class Fixture {
 public:
  void execute(TaskId task, proto::Pieces pieces = {}, AgentId bound_to = proto::kNoAgent) {
    proto::Work work;
    work.task = task;
    work.pieces = std::move(pieces);
    if (bound_to != proto::kNoAgent) {
      work.parcel = std::make_shared<proto::Parcel>(proto::Parcel{.bound_to = bound_to});
    }
    receive(proto::Execute{.work = std::move(work)});
  }
  void receive(proto::Body body) { noted.worker().receive(body); }
  void fetched(TaskId task) { noted.worker().fetched(noted.fetching.at(task)); }
  void ask(AgentId top) { receive(proto::GiveBack{.top = top}); }
  // The task of the only answer.
  TaskId take_given() {
    REQUIRE(noted.given.size() == 1);
    last = std::move(noted.given.back());
    noted.given.clear();
    return last.work.task;
  }

  Noted noted;
  proto::GivenBack last{};
};

}  // namespace

TEST_CASE("the last task that has not begun is given back, and no other") {
  Fixture f;
  for (std::uint64_t number : {1, 2, 3, 4}) f.execute(task_of(0, number));
  f.fetched(task_of(0, 1));
  CHECK(f.noted.begun == std::vector<TaskId>{task_of(0, 1)});
  f.ask(0);  // its data has not been asked for
  CHECK(f.take_given() == task_of(0, 4));
  CHECK(f.last.top == 0);
  f.fetched(task_of(0, 2));
  f.fetched(task_of(0, 3));
  f.ask(0);
  CHECK(f.take_given() == task_of(0, 3));
  f.noted.ended(task_of(0, 1));
  f.ask(0);
  CHECK(f.take_given() == proto::kMain);  // nothing
  f.noted.ended(task_of(0, 2));
  CHECK(f.noted.is_idle());
}

TEST_CASE("a task whose data is on its way is given back when it is there, or begins") {
  Fixture f;
  f.execute(task_of(0, 1));
  f.fetched(task_of(0, 1));
  f.execute(task_of(0, 2));
  f.ask(0);
  CHECK(f.noted.given.empty());
  f.fetched(task_of(0, 2));
  CHECK(f.take_given() == task_of(0, 2));
  f.execute(task_of(0, 3));
  f.ask(0);
  f.ask(kLower);  // two schedulers want it
  f.noted.ended(task_of(0, 1));
  CHECK(f.noted.given.empty());
  f.fetched(task_of(0, 3));
  CHECK(f.noted.begun.back() == task_of(0, 3));
  REQUIRE(f.noted.given.size() == 2);
  for (const proto::GivenBack& given : f.noted.given) CHECK(given.work.task == proto::kMain);
}

TEST_CASE("what only this worker, or those below a lower scheduler, may run is not given away") {
  Fixture f;
  for (const TaskId task : {task_of(0, 1), task_of(0, 2), task_of(kLower, 3)}) f.execute(task);
  f.execute(task_of(0, 4), {}, kSelf);
  f.fetched(task_of(0, 1));
  f.fetched(task_of(0, 2));
  f.fetched(task_of(kLower, 3));
  f.ask(0);
  CHECK(f.take_given() == task_of(0, 2));
  f.ask(0);
  CHECK(f.take_given() == proto::kMain);
  f.fetched(task_of(0, 4));
  f.ask(kLower);
  CHECK(f.take_given() == task_of(kLower, 3));
}

TEST_CASE("who has fetched what a task reads or is to write has it, wherever the task goes") {
  Fixture f;
  f.execute(task_of(0, 1));
  f.fetched(task_of(0, 1));
  f.execute(
      task_of(0, 2),
      {{.address = 8, .bytes = 8, .producer = 7, .mode = proto::Mode::Write},
       {.address = 12, .bytes = 4, .producer = 7},  // part of what 7 has just given up
       {.address = 24, .bytes = 8, .producer = 7, .mode = proto::Mode::Write, .is_read = false},
       {.address = 32, .bytes = 8, .mode = proto::Mode::Write}});
  f.fetched(task_of(0, 2));
  f.ask(0);
  static_cast<void>(f.take_given());
  const proto::Pieces& pieces = f.last.work.pieces;
  CHECK(pieces[0].producer == kSelf);
  CHECK(pieces[1].producer == kSelf);
  CHECK(pieces[2].producer == 7);
  CHECK(pieces[3].producer == proto::kNoAgent);
}

namespace {

// A node whose threads take tasks when they like.
class Node final : public sched::Data, public sched::Hands {
 public:
  explicit Node(const sched::Worker::Options& options, bool shares_memory = false)
      : worker(*this, *this, kSelf, options), shares_memory_(shares_memory) {}
  bool fetch(Ticket ticket, const proto::Pieces&, const proto::Work* work) override {
    if (shares_memory_) return true;
    fetching[work == nullptr ? proto::kMain : work->task] = ticket;
    return false;
  }
  bool give_up(const proto::Work&) override { return gives_up; }
  void give_back(proto::GivenBack answer) override { given.push_back(answer.work); }
  void task_is_here() override { here += 1; }
  void end_wait(TaskId task, proto::FailurePtr failure) override {
    waits.emplace_back(task, failure != nullptr);
  }
  void take_answer(proto::RegionMade) override {}
  void take_answer(proto::Allocated) override {}

  void receive(proto::Body body) { worker.receive(body); }
  void execute(TaskId task) {
    proto::Work work;
    work.task = task;
    work.pieces = {{.address = 8, .bytes = 8, .producer = 7}};
    receive(proto::Execute{.work = std::move(work)});
  }
  void replay(TaskId task) {
    receive(proto::StepWork{.step = 1, .iterations = {}, .pieces = {}});
    receive(proto::Replay{.task = task, .step = 1, .work = 0, .runs = {}, .spawn = {}});
  }
  TaskId take() {
    const auto work = worker.take();
    worker.look_ahead();
    return work ? work->task : proto::kMain;
  }

  sched::Worker worker;
  bool gives_up = true;
  std::map<TaskId, Ticket> fetching;
  std::vector<proto::Work> given;
  std::vector<std::pair<TaskId, bool>> waits;
  int here = 0;

 private:
  bool shares_memory_;
};

}  // namespace

TEST_CASE("tasks that are replayed wait before their data is fetched, and others do not") {
  Node node({.tasks_ahead = 2, .only_replays_wait = true});
  for (std::uint64_t number : {1, 2, 3}) node.replay(task_of(0, number));
  CHECK(node.fetching.size() == 2);
  node.execute(task_of(0, 4));
  CHECK(node.fetching.count(task_of(0, 4)) == 1);
  node.worker.fetched(node.fetching.at(task_of(0, 4)));  // they begin as their data comes
  node.worker.fetched(node.fetching.at(task_of(0, 2)));
  CHECK(node.here == 2);
  CHECK(node.take() == task_of(0, 4));
  CHECK(node.fetching.count(task_of(0, 3)) == 0);
  CHECK(node.take() == task_of(0, 2));
  CHECK(node.fetching.count(task_of(0, 3)) == 1);
  CHECK(node.take() == proto::kMain);
  CHECK(node.worker.has_tasks());
  CHECK_FALSE(node.worker.has_task_here());
  CHECK(node.worker.replayed_count() == 1);
}

TEST_CASE("a request waits until the data's owner gives a task up, or the task begins") {
  Node node({.only_replays_wait = true});
  node.gives_up = false;
  for (std::uint64_t number : {1, 2}) {
    node.execute(task_of(0, number));
    node.worker.fetched(node.fetching.at(task_of(0, number)));
  }
  node.receive(proto::GiveBack{.top = 0});
  CHECK(node.given.empty());
  CHECK(node.worker.has_requests());
  node.gives_up = true;
  node.worker.look_ahead();
  REQUIRE(node.given.size() == 1);
  CHECK(node.given.front().task == task_of(0, 2));
  CHECK(node.given.front().pieces[0].producer == kSelf);
  node.gives_up = false;
  node.receive(proto::GiveBack{.top = 0});
  CHECK(node.take() == task_of(0, 1));
  REQUIRE(node.given.size() == 2);
  CHECK(node.given.back().task == proto::kMain);
  CHECK_FALSE(node.worker.has_requests());
}

TEST_CASE("where memory is shared nothing is brought, so a task goes back as it came") {
  Node node({.only_replays_wait = true}, /*shares_memory=*/true);
  node.execute(task_of(0, 1));
  CHECK(node.here == 1);
  node.receive(proto::GiveBack{.top = 0});
  REQUIRE(node.given.size() == 1);
  CHECK(node.given.front().pieces[0].producer == 7);
  node.receive(proto::WaitOver{.task = task_of(0, 5)});
  CHECK(node.waits == std::vector{std::pair{task_of(0, 5), false}});
}

TEST_CASE("a wait ends when its data is here, with the failure that it was told of") {
  Node node({.only_replays_wait = true});
  node.receive(proto::WaitOver{
      .task = task_of(0, 5), .pieces = {}, .failure = std::make_shared<proto::Failure>()});
  CHECK(node.waits.empty());
  node.worker.fetched(node.fetching.at(proto::kMain));
  CHECK(node.waits == std::vector{std::pair{task_of(0, 5), true}});
}
