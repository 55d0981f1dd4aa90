// SPDX-License-Identifier: Apache-2.0
#include "sched/worker.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace myr;
using proto::AgentId;
using proto::TaskId;
using sched::Worker;

namespace {

constexpr AgentId kSelf = 3;  // below the schedulers 0 and 1
constexpr AgentId kLower = 1;

// Notes what the worker wants. The test says when data has come.
class Noted final : public sched::Hands {
 public:
  void fetch(const proto::Work& work) override { fetching.push_back(work.task); }
  void begin(const proto::Work& work) override { begun.push_back(work.task); }
  void go_on(TaskId) override {}
  void give_back(proto::GivenBack answer) override { given.push_back(std::move(answer)); }
  void take_answer(proto::RegionMade) override {}
  void take_answer(proto::Allocated) override {}

  std::vector<TaskId> fetching;
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
    worker.receive({.to = kSelf, .body = proto::Execute{.work = std::move(work)}});
  }
  void ask(AgentId top) { worker.receive({.to = kSelf, .body = proto::GiveBack{.top = top}}); }
  // Of the only answer.
  TaskId take_given() {
    REQUIRE(noted.given.size() == 1);
    last = std::move(noted.given.back());
    noted.given.clear();
    return last.work.task;
  }

  Noted noted;
  Worker worker{noted, kSelf, 1};
  proto::GivenBack last{};
};

}  // namespace

TEST_CASE("the last task that has not begun is given back, and no other") {
  Fixture f;
  for (std::uint64_t number : {1, 2, 3, 4}) f.execute(task_of(0, number));
  f.worker.fetched(task_of(0, 1));
  CHECK(f.noted.begun == std::vector<TaskId>{task_of(0, 1)});
  f.ask(0);  // its data has not been asked for
  CHECK(f.take_given() == task_of(0, 4));
  CHECK(f.last.top == 0);
  f.worker.fetched(task_of(0, 2));
  f.worker.fetched(task_of(0, 3));
  f.ask(0);
  CHECK(f.take_given() == task_of(0, 3));
  f.worker.ended(task_of(0, 1));
  f.ask(0);
  CHECK(f.take_given() == proto::kMain);  // nothing
  f.worker.ended(task_of(0, 2));
  CHECK(f.worker.is_idle());
}

TEST_CASE("a task whose data is on its way is given back when it is there, or begins") {
  Fixture f;
  f.execute(task_of(0, 1));
  f.worker.fetched(task_of(0, 1));
  f.execute(task_of(0, 2));
  f.ask(0);
  CHECK(f.noted.given.empty());
  f.worker.fetched(task_of(0, 2));
  CHECK(f.take_given() == task_of(0, 2));
  f.execute(task_of(0, 3));
  f.ask(0);
  f.ask(kLower);  // two schedulers want it
  f.worker.ended(task_of(0, 1));
  CHECK(f.noted.given.empty());
  f.worker.fetched(task_of(0, 3));
  CHECK(f.noted.begun.back() == task_of(0, 3));
  REQUIRE(f.noted.given.size() == 2);
  for (const proto::GivenBack& given : f.noted.given) CHECK(given.work.task == proto::kMain);
}

TEST_CASE("what only this worker, or those below a lower scheduler, may run is not given away") {
  Fixture f;
  for (const TaskId task : {task_of(0, 1), task_of(0, 2), task_of(kLower, 3)}) f.execute(task);
  f.execute(task_of(0, 4), {}, kSelf);
  f.worker.fetched(task_of(0, 1));
  f.worker.fetched(task_of(0, 2));
  f.worker.fetched(task_of(kLower, 3));
  f.ask(0);
  CHECK(f.take_given() == task_of(0, 2));
  f.ask(0);
  CHECK(f.take_given() == proto::kMain);
  f.worker.fetched(task_of(0, 4));
  f.ask(kLower);
  CHECK(f.take_given() == task_of(kLower, 3));
}

TEST_CASE("who has fetched what a task reads or is to write has it, wherever the task goes") {
  Fixture f;
  f.execute(task_of(0, 1));
  f.worker.fetched(task_of(0, 1));
  f.execute(
      task_of(0, 2),
      {{.address = 8, .bytes = 8, .producer = 7, .mode = proto::Mode::Write},
       {.address = 12, .bytes = 4, .producer = 7},  // part of what 7 has just given up
       {.address = 24, .bytes = 8, .producer = 7, .mode = proto::Mode::Write, .is_read = false},
       {.address = 32, .bytes = 8, .mode = proto::Mode::Write}});
  f.worker.fetched(task_of(0, 2));
  f.ask(0);
  static_cast<void>(f.take_given());
  const proto::Pieces& pieces = f.last.work.pieces;
  CHECK(pieces[0].producer == kSelf);
  CHECK(pieces[1].producer == kSelf);
  CHECK(pieces[2].producer == 7);
  CHECK(pieces[3].producer == proto::kNoAgent);
}
