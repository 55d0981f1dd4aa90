// SPDX-License-Identifier: Apache-2.0
//
// Interprets a random program on simulated workers. Bodies are not functions but positions in lists
// of steps: a body that needs an answer, or waits, stops there until it comes.
#include "run_on_agents.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "machine.hpp"
#include "random/interpret.hpp"

namespace myr::sim_test {

namespace {

using proto::AgentId;
using proto::NodeId;
using proto::TaskId;
using random_test::Program;
using random_test::Step;

constexpr std::uint64_t kUnmanagedBase = std::uint64_t{1} << 60;

bool is_inside(const Program& program, unsigned region, unsigned ancestor) {
  while (region != ancestor && region != random_test::kRootRegion) {
    region = program.region_parent[region];
  }
  return region == ancestor;
}

// Is `inner` a part of what the other one names?
bool is_part_of(const Program& program, const random_test::Target& inner,
                const random_test::Target& outer) {
  if (!outer.is_region) {
    return !inner.is_region && inner.index == outer.index && outer.is_whole;
  }
  const unsigned around = inner.is_region ? inner.index : program.objects[inner.index].region;
  return around != random_test::kNoRegion && is_inside(program, around, outer.index);
}

// Some task reads something and writes a part of it: then all of it is brought as if to be written,
// and is overwritten where it was, though the parent may go on to read the rest there.
bool writes_part_of_what_it_reads(const Program& program) {
  const auto is_one = [&](const random_test::Access& read, const random_test::Access& written) {
    return read.mode == random_test::Mode::In && written.mode != random_test::Mode::In &&
           is_part_of(program, written.target, read.target);
  };
  return std::any_of(program.tasks.begin(), program.tasks.end(), [&](const auto& task) {
    return std::any_of(task.accesses.begin(), task.accesses.end(), [&](const auto& read) {
      return std::any_of(task.accesses.begin(), task.accesses.end(),
                         [&](const auto& written) { return is_one(read, written); });
    });
  });
}

class Interpreter final : public Bodies {
 public:
  Interpreter(const Program& program, const sched::Topology& topology, std::uint64_t seed,
              WorkerKind kind)
      : program_(program),
        are_processes_(kind.are_processes()),
        machine_(topology, seed, *this, /*moves_data=*/true, kind) {
    outcome_.task_hash.resize(program.tasks.size());
    outcome_.content.resize(program.objects.size());
    addresses_.resize(program.objects.size());
    regions_.resize(program.region_parent.size());
    regions_[random_test::kRootRegion] = proto::kRootRegion;
    for (unsigned i = 0; i < program.global_count; ++i) create_unmanaged(i, 0);
  }

  AgentsRun run() {
    begin(machine_.topology().workers().front(), {.task = sched::kMain});
    AgentsRun result;
    const bool settled = machine_.run();
    result.failure = machine_.misuse();
    if (!settled && result.failure.empty()) result.failure = "does not end";
    if (result.failure.empty() && ended_ != program_.tasks.size()) {
      result.failure = "hangs: " + std::to_string(ended_) + " of " +
                       std::to_string(program_.tasks.size()) + " tasks have ended";
    }
    if (result.failure.empty() && !machine_.all_idle()) result.failure = "something is left over";
    if (result.failure.empty() && !machine_.all_pages_found()) result.failure = "pages are lost";
    for (unsigned i = program_.global_count; i < program_.objects.size(); ++i) {
      if (is_unmanaged(i)) outcome_.content[i].clear();
    }
    for (const unsigned object : doomed_) outcome_.content[object].clear();
    result.outcome = std::move(outcome_);
    result.messages = machine_.message_count();
    result.trade = machine_.trade();
    result.transfers = machine_.transfer_count();
    result.rarities = rarities_;
    result.rarities.given_back = machine_.given_back();
    return result;
  }

  // ---- from the machine

  void begin(AgentId worker, const proto::Work& work) override {
    const auto number = static_cast<unsigned>(work.program);
    bodies_[work.task] = {
        .worker = worker,
        .number = number,
        .hash = random_test::first_hash(number),
        .clock = work.task == sched::kMain ? proto::SerialClock() : proto::SerialClock(work.time)};
    step_later(work.task);
  }
  void go_on(TaskId task) override { step(task); }
  void answer(const proto::RegionMade& made) override {
    const TaskId task = asking_.at(made.request);
    asking_.erase(made.request);
    if (!made.made) {
      try_again(task);
      return;
    }
    regions_[current_step(task).index] = made.region;
    next_step(task);
  }
  void answer(const proto::Allocated& allocated) override {
    const TaskId task = asking_.at(allocated.request);
    asking_.erase(allocated.request);
    const Step& step = current_step(task);
    if (allocated.addresses.empty()) {
      try_again(task);
      return;
    }
    if (step.kind == Step::Kind::Reallocate) {
      move_object(task, step, allocated.addresses.front());
      rarities_.reallocations += 1;
    } else {
      for (unsigned i = 0; i < step.count; ++i) {
        create(task, step.index + i, allocated.addresses[i], 0);
      }
    }
    next_step(task);
  }

 private:
  struct Body {
    AgentId worker = proto::kNoAgent;
    unsigned number = 0;
    std::size_t position = 0;
    std::uint64_t hash = 0;
    proto::SerialClock clock = {};
    bool gives_regions = false;  // to children
    // Waited before the step: for the object that it reallocates, for the region that this lies in.
    bool has_object = false;
    bool has_region = false;
    std::optional<unsigned> local = {};
  };

  const Step& current_step(TaskId task) {
    const Body& body = bodies_.at(task);
    return program_.tasks[body.number].steps[body.position];
  }
  void step_later(TaskId task) {
    machine_.later([this, task] { step(task); });
  }
  void next_step(TaskId task) {
    bodies_.at(task).position += 1;
    step_later(task);
  }
  // The same step, which was refused memory.
  void try_again(TaskId task) {
    machine_.add_memory();
    step_later(task);
  }
  void to_home(TaskId task, proto::Body message) {
    machine_.send(bodies_.at(task).worker, proto::home_of(task), std::move(message));
  }

  void step(TaskId task) {
    Body& body = bodies_.at(task);
    const std::vector<Step>& steps = program_.tasks[body.number].steps;
    if (body.position >= steps.size()) {
      end(task, body.position - steps.size());
      return;
    }
    run_step(task, body, steps[body.position]);
  }

  // Main waits for all before it ends, so that the machine has nothing left to do.
  void end(TaskId task, std::size_t extra) {
    Body& body = bodies_.at(task);
    if (task == sched::kMain && extra == 0) {
      wait(task, proto::WaitAll{.task = task, .time = body.clock.now()});
      return;
    }
    outcome_.task_hash[body.number] = body.hash;
    ended_ += 1;
    if (body.local) tell_locals_gone(task, *body.local);
    to_home(task, proto::BodyEnded{.task = task});
    const AgentId worker = body.worker;
    bodies_.erase(task);
    machine_.ended(worker, task);
  }

  void run_step(TaskId task, Body& body, const Step& step) {
    switch (step.kind) {
      case Step::Kind::Touch:
        touch(body, step.access);
        break;
      case Step::Kind::Spawn:
        spawn(task, proto::Purpose::Run, step.index, program_.tasks[step.index].accesses);
        break;
      case Step::Kind::Wait:
        wait(task, make_spawn(task, proto::Purpose::Wait, 0, step.accesses));
        return;
      case Step::Kind::WaitAll:
        wait(task, proto::WaitAll{.task = task, .time = body.clock.now()});
        return;
      case Step::Kind::NewRegion:
        ask_for_region(task, body, step);
        return;
      case Step::Kind::Reallocate:
      case Step::Kind::Allocate:
        if (has_waited_for_place(task, body, step)) ask_for_objects(task, body, step);
        return;
      case Step::Kind::Free:
        free_object(task, step.index);
        break;
      case Step::Kind::FreeRegion:
        free_region(task, step.index);
        break;
      case Step::Kind::DeclareLocal:
        create_unmanaged(step.index, body.hash);
        body.local = step.index;
        break;
      case Step::Kind::Spin:
        break;
    }
    next_step(task);
  }

  // ---- memory

  [[nodiscard]] bool is_unmanaged(unsigned object) const {
    return program_.objects[object].region == random_test::kNoRegion;
  }
  std::span<std::uint64_t> words(unsigned object) { return outcome_.content[object]; }

  void create_unmanaged(unsigned object, std::uint64_t hash) {
    addresses_[object] = kUnmanagedBase + (std::uint64_t{object} << 20);
    outcome_.content[object].resize(program_.objects[object].words);
    random_test::fill(hash, object, words(object));
  }
  void create(TaskId task, unsigned object, std::uint64_t address, std::size_t kept_words) {
    const Body& body = bodies_.at(task);
    addresses_[object] = address;
    outcome_.content[object].resize(program_.objects[object].words);
    random_test::fill(body.hash, object, words(object).subspan(kept_words));
    note_written(body, object, 0, words(object).size());
  }
  void move_object(TaskId task, const Step& step, std::uint64_t address) {
    std::vector<std::uint64_t> old = outcome_.content[step.old_index];
    check_current(bodies_.at(task), step.old_index, 0, old.size());
    const std::size_t kept = std::min<std::size_t>(old.size(), program_.objects[step.index].words);
    free_object(task, step.old_index);
    outcome_.content[step.index] = std::move(old);
    create(task, step.index, address, kept);
  }
  void free_object(TaskId task, unsigned object) {
    spawn(task, proto::Purpose::FreeObject, 0, {whole(object, false)});
    doomed_.push_back(object);
  }
  void free_region(TaskId task, unsigned region) {
    spawn(task, proto::Purpose::FreeRegion, 0, {whole(region, true)});
    for (unsigned i = 0; i < program_.objects.size(); ++i) {
      if (is_unmanaged(i)) continue;
      if (is_inside(program_, program_.objects[i].region, region)) doomed_.push_back(i);
    }
  }
  void tell_locals_gone(TaskId task, unsigned object) {
    const std::uint64_t bytes = words(object).size_bytes();
    to_home(task, proto::LocalsGone{.task = task,
                                    .locals = {.address = addresses_[object], .bytes = bytes}});
    rarities_.locals_gone += 1;
  }
  static random_test::Access whole(unsigned index, bool is_region) {
    return {.target =
                {.is_region = is_region, .is_whole = true, .index = index, .first = 0, .count = 0},
            .mode = random_test::Mode::InOut,
            .no_transfer = false};
  }
  // Else it does, and then the same step comes again. A process brings a region as it was when it
  // was granted, with the places that were free: so nothing uses it before something is made there.
  bool has_waited_for_place(TaskId task, Body& body, const Step& step) {
    if (step.kind == Step::Kind::Reallocate && !std::exchange(body.has_object, true)) {
      wait_before(task, whole(step.old_index, false));
      return false;
    }
    if (are_processes_ && body.gives_regions && !std::exchange(body.has_region, true)) {
      wait_before(task, whole(program_.objects[step.index].region, true));
      return false;
    }
    body.has_object = body.has_region = false;
    return true;
  }
  void wait_before(TaskId task, const random_test::Access& access) {
    wait(task, make_spawn(task, proto::Purpose::Wait, 0, {access}));
    bodies_.at(task).position -= 1;
  }
  void touch(Body& body, const random_test::Access& access) {
    const random_test::Target& target = access.target;
    if (!is_unmanaged(target.index)) {
      check_current(body, target.index, target.first, target.count);
      if (access.mode != random_test::Mode::In) {
        note_written(body, target.index, target.first, target.count);
      }
    }
    random_test::touch(body.hash, words(target.index).subspan(target.first, target.count), access);
  }
  [[nodiscard]] std::uint64_t address_of(unsigned object, std::size_t word) const {
    return addresses_[object] + word * sizeof(std::uint64_t);
  }
  void note_written(const Body& body, unsigned object, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      machine_.versions().write(body.worker, address_of(object, i));
    }
  }
  void check_current(const Body& body, unsigned object, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      if (machine_.versions().is_current(body.worker, address_of(object, i))) continue;
      machine_.note_misuse("task " + std::to_string(body.number) + " has an old version of word " +
                           std::to_string(i) + " of object " + std::to_string(object));
    }
  }

  // ---- messages

  proto::Spawn make_spawn(TaskId parent, proto::Purpose purpose, unsigned number,
                          const std::vector<random_test::Access>& accesses) {
    auto task = std::make_unique<proto::Task>();
    task->parent = parent;
    task->purpose = purpose;
    task->program = number;
    Body& body = bodies_.at(parent);
    task->time = purpose == proto::Purpose::Run ? body.clock.spawn() : body.clock.now();
    for (const random_test::Access& access : accesses) add_access(*task, access);
    return {.task = std::move(task)};
  }
  void add_access(proto::Task& task, const random_test::Access& access) {
    const random_test::Target& target = access.target;
    const proto::Mode mode =
        access.mode == random_test::Mode::In ? proto::Mode::Read : proto::Mode::Write;
    if (target.is_region) {
      task.accesses.push_back({.node = regions_[target.index], .mode = mode});
      return;
    }
    const bool is_managed = !is_unmanaged(target.index);
    if (is_managed) {
      task.accesses.push_back({.node = NodeId::object(addresses_[target.index]),
                               .mode = mode,
                               .is_part = !target.is_whole});
      if (target.is_whole) return;
    }
    const std::uint64_t first = target.is_whole ? 0 : target.first;
    const std::uint64_t count =
        target.is_whole ? program_.objects[target.index].words : target.count;
    task.ranges.push_back({.address = address_of(target.index, first),
                           .bytes = count * sizeof(std::uint64_t),
                           .mode = mode});
    (is_managed ? rarities_.parts : rarities_.unmanaged_uses) += 1;
  }
  void spawn(TaskId parent, proto::Purpose purpose, unsigned number,
             const std::vector<random_test::Access>& accesses) {
    for (const random_test::Access& access : accesses) {
      bodies_.at(parent).gives_regions |= purpose == proto::Purpose::Run && access.target.is_region;
    }
    to_home(parent, make_spawn(parent, purpose, number, accesses));
  }
  // Goes on with the next step.
  void wait(TaskId task, proto::Body message) {
    Body& body = bodies_.at(task);
    to_home(task, std::move(message));
    body.position += 1;
    machine_.waits(body.worker, task);
  }
  void ask_for_region(TaskId task, const Body& body, const Step& step) {
    const NodeId parent = regions_[program_.region_parent[step.index]];
    machine_.send(body.worker, proto::owner_of_region(parent),
                  proto::NewRegion{.request = ask(task),
                                   .asker = body.worker,
                                   .parent = parent,
                                   .level_hint = static_cast<std::int32_t>(machine_.below(4))});
  }
  void ask_for_objects(TaskId task, Body& body, const Step& step) {
    const random_test::ObjectPlan& plan = program_.objects[step.index];
    const NodeId region = regions_[plan.region];
    machine_.send(body.worker, proto::owner_of_region(region),
                  proto::Allocate{.request = ask(task),
                                  .asker = body.worker,
                                  .region = region,
                                  .bytes = plan.words * sizeof(std::uint64_t),
                                  .count = std::max(step.count, 1U),
                                  .time = body.clock.now()});
  }
  proto::RequestId ask(TaskId task) {
    asking_[next_request_] = task;
    return next_request_++;
  }

  const Program& program_;
  const bool are_processes_;
  random_test::Outcome outcome_;
  std::vector<std::uint64_t> addresses_;
  std::vector<NodeId> regions_;
  std::map<TaskId, Body> bodies_;
  std::map<proto::RequestId, TaskId> asking_;
  std::vector<unsigned> doomed_;  // objects that are freed, after the tasks that use them
  proto::RequestId next_request_ = 0;
  std::size_t ended_ = 0;
  Rarities rarities_;
  Machine machine_;
};

}  // namespace

AgentsRun run_on_agents(const Program& program, const sched::Topology& topology, std::uint64_t seed,
                        WorkerKind kind) {
  kind.overwrites = kind.are_processes() && !writes_part_of_what_it_reads(program);
  return Interpreter(program, topology, seed, kind).run();
}

}  // namespace myr::sim_test
