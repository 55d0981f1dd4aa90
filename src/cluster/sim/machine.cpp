// SPDX-License-Identifier: Apache-2.0
#include "cluster/sim/machine.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/contract.hpp"
#include "cluster/sim/core_map.hpp"
#include "cluster/sim/cores.hpp"
#include "cluster/sim/packets.hpp"
#include "proto/sizes.hpp"
#include "sched/host.hpp"
#include "sched/serial_worker.hpp"

namespace myr::cluster::sim {

using proto::parts_of;
using trace::State;
using transport::sim::Costs;
using transport::sim::steps_to_find_ways;
using transport::sim::steps_to_handle;
using transport::sim::steps_to_send;

class Machine::Impl {
 public:
  Impl(const sched::Topology& topology, const Chip& chip, Settings settings, Bodies& bodies,
       const Memory& memory);

  bool run();
  Cycles handle(const Job& job);
  [[nodiscard]] bool is_idle() const;

  // ---- on the core that is handling something: what it does takes time
  void spend(Cycles weak_cycles) { clock_ += chip_.scaled(core_of(self_), weak_cycles); }
  void send(Packet packet);
  void send(std::uint32_t parts, proto::Message message) {
    Packet packet{.from = self_};
    packet.items.push_back({.origin = self_, .parts = parts, .message = std::move(message)});
    send(std::move(packet));
  }
  // In chaos: how many cycles more, mostly none.
  Cycles delay();
  void spawn(proto::Spawn message);
  [[nodiscard]] bool fetch(std::uint64_t ticket, const proto::Pieces& pieces);
  void ended(TaskId task, std::uint32_t parts, proto::Body message);
  void give_back(proto::GivenBack answer);

  struct CoreWire;
  struct SchedulerCore;
  struct WorkerContext;
  struct Outgoing {
    AgentId next_hop;
    Packet::Item item;
  };
  // What a worker does next within the same handling.
  struct Step {
    JobKind kind;                     // Fetched or GoOn
    std::uint64_t item;               // the ticket, or the task
    std::optional<proto::Work> work;  // to begin, instead
  };

  [[nodiscard]] CoreIndex core_of(AgentId agent) const { return cores_of_[agent]; }
  [[nodiscard]] WorkerContext& worker() { return *workers_[self_]; }
  [[nodiscard]] Cycles units(std::uint32_t parts) const {
    return (parts + chip_.costs().parts_per_unit - 1) / chip_.costs().parts_per_unit;
  }
  [[nodiscard]] Cycles transfer(const proto::Piece& piece);
  void handle_at_scheduler(Packet packet);
  void hand_over(AgentId from, Packet::Item item);
  void send_outbox();
  void handle_steps();
  [[nodiscard]] State state_between();

  const sched::Topology& topology_;
  const Chip& chip_;
  Settings settings_;
  Bodies& bodies_;
  std::vector<CoreIndex> cores_of_;
  Cores cores_;
  Packets packets_;
  std::vector<std::unique_ptr<SchedulerCore>> schedulers_;  // by agent; none for workers
  std::vector<std::unique_ptr<WorkerContext>> workers_;     // by agent; none for schedulers
  std::vector<AgentLog> logs_;                              // by agent
  // When the last message arrives that was sent to the agent from above, and by it to above.
  std::vector<Cycles> last_from_above_;
  std::vector<Cycles> last_to_above_;
  std::vector<Cycles> engine_free_at_;  // of the agent's core
  std::optional<base::Dice> chaos_;     // with Settings::chaos
  bool has_misuse_ = false;
  std::uint64_t event_count_ = 0;

  // While something is handled:
  AgentId self_ = 0;
  Cycles clock_ = 0;
  std::vector<Step> steps_;
  // While a scheduler handles something:
  std::optional<sched::Incoming> arrived_;  // of its packet: what it handles next
  std::vector<Outgoing> outbox_;
  std::vector<std::pair<AgentId, Packet>> groups_;  // of the outbox, by neighbour
  std::vector<AgentId> spawners_;                   // whose spawns it has handled
  std::uint64_t analysis_ = 0;                      // hundredths of steps that it has taken
};

// The wire of a scheduler: the packet that its core handles, and what it has sent meanwhile.
struct Machine::Impl::CoreWire {
  void send(AgentId next_hop, proto::Message&& message) {
    machine.analysis_ += steps_to_send(message.body);
    const std::uint32_t parts = parts_of(message.body);
    machine.outbox_.push_back(
        {.next_hop = next_hop,
         .item = {.origin = machine.self_, .parts = parts, .message = std::move(message)}});
  }
  std::optional<sched::Incoming> receive() { return std::exchange(machine.arrived_, {}); }
  void handling(const proto::Body& message) { machine.analysis_ += steps_to_handle(message); }
  void found_ways(std::uint32_t regions, std::uint32_t more) {
    machine.analysis_ += steps_to_find_ways(regions, more);
  }
  void misuse(sched::Misuse kind, std::uint64_t program, const proto::Access& access) {
    machine.has_misuse_ = true;
    machine.bodies_.misuse(kind, program, access);
  }
  Impl& machine;
};

struct Machine::Impl::SchedulerCore {
  SchedulerCore(Impl& machine, AgentId self, std::unique_ptr<sched::Store> store,
                proto::PageRun pages)
      : wire{machine},
        host(machine.topology_, self,
             {.load_percent = machine.settings_.load_percent,
              .moves_data = !machine.chip_.shares_memory(),
              .takes_back = machine.chip_.shares_memory() || machine.settings_.chaos.has_value(),
              .memory = pages,
              .chaos = machine.settings_.chaos},
             wire, std::move(store)) {}
  CoreWire wire;
  sched::Host<CoreWire> host;
  bool goes_on = false;  // a job for what it has put off is scheduled
};

struct Machine::Impl::WorkerContext final : sched::Data, sched::SerialWorker {
  WorkerContext(Impl& machine_of, AgentId self)
      : sched::SerialWorker(static_cast<sched::Data&>(*this), self), machine(machine_of) {}
  bool fetch(Ticket ticket, const proto::Pieces& pieces, const proto::Work*) override {
    return machine.fetch(ticket, pieces);
  }
  void begin(const proto::Work& work) override {
    machine.steps_.push_back({.kind = JobKind::GoOn, .item = work.task, .work = work});
  }
  void go_on(TaskId task) override {
    machine.steps_.push_back({.kind = JobKind::GoOn, .item = task, .work = {}});
  }
  void give_back(proto::GivenBack answer) override { machine.give_back(std::move(answer)); }
  void take_answer(proto::RegionMade made) override { machine.bodies_.answer(made); }
  void take_answer(proto::Allocated allocated) override { machine.bodies_.answer(allocated); }
  Impl& machine;
  unsigned spawns_ahead = 0;
  std::optional<TaskId> spawner;  // waits until one of them has been handled
};

Machine::Impl::Impl(const sched::Topology& topology, const Chip& chip, Settings settings,
                    Bodies& bodies, const Memory& memory)
    : topology_(topology),
      chip_(chip),
      settings_(settings),
      bodies_(bodies),
      cores_(topology.agent_count()),
      schedulers_(topology.agent_count()),
      workers_(topology.agent_count()),
      last_from_above_(topology.agent_count()),
      last_to_above_(topology.agent_count()),
      engine_free_at_(topology.agent_count()) {
  auto cores = map_to_cores(topology, chip);
  MYR_ASSERT(cores.has_value());
  cores_of_ = std::move(*cores);
  if (settings.chaos) chaos_.emplace(*settings.chaos, proto::kNoAgent);
  std::uint32_t index = 0;
  for (const AgentId agent : topology.schedulers()) {
    const auto pages = agent == proto::kTop ? memory.pages : proto::PageRun{};
    schedulers_[agent] =
        std::make_unique<SchedulerCore>(*this, agent, memory.make_store(index++), pages);
  }
  for (const AgentId agent : topology.workers()) {
    workers_[agent] = std::make_unique<WorkerContext>(*this, agent);
  }
  for (AgentId agent = 0; agent < topology.agent_count(); ++agent) {
    const bool is_recorded = settings.recording != nullptr;
    logs_.emplace_back(is_recorded ? settings.recording->timeline(agent) : nullptr, State::Idle, 0);
  }
}

bool Machine::Impl::run() {
  self_ = topology_.workers().front();
  worker().start_main(sched::kMain);
  cores_.schedule(0, {.item = sched::kMain, .agent = self_, .kind = JobKind::Main});
  cores_.run([this](const Job& job) { return handle(job); }, [this] { return !has_misuse_; });
  return !has_misuse_ && is_idle();
}

bool Machine::Impl::is_idle() const {
  for (const AgentId agent : topology_.schedulers()) {
    if (!schedulers_[agent]->host.scheduler().is_idle()) return false;
  }
  return std::all_of(topology_.workers().begin(), topology_.workers().end(),
                     [&](AgentId agent) { return workers_[agent]->is_idle(); });
}

// ---- one job at an agent ----------------------------------------------------------------------

Cycles Machine::Impl::handle(const Job& job) {
  event_count_ += 1;
  self_ = job.agent;
  clock_ = cores_.now();
  logs_[self_].change(State::Runtime, clock_);
  if (job.kind == JobKind::Message) {
    Packet packet = packets_.take(job.item);
    logs_[self_].usage().messages += 1;
    logs_[self_].usage().message_bytes += units(packet.parts()) * transport::sim::kUnitBytes;
    const proto::Body& first = packet.items.front().message.body;
    if (is_about_memory(first)) logs_[self_].change(State::Memory, clock_);
    spend(units(packet.parts()) * chip_.costs().receive);
    if (topology_.is_worker(self_)) {
      for (Packet::Item& item : packet.items) worker().worker().receive(item.message.body);
    } else {
      handle_at_scheduler(std::move(packet));
    }
  } else if (job.kind == JobKind::Spawned) {
    worker().spawns_ahead -= 1;
    const auto spawner = std::exchange(worker().spawner, {});
    if (spawner) steps_.push_back({.kind = JobKind::GoOn, .item = *spawner, .work = {}});
  } else if (job.kind == JobKind::More) {
    schedulers_[self_]->goes_on = false;
    static_cast<void>(schedulers_[self_]->host.serve());
    send_outbox();
  } else if (job.kind == JobKind::Main) {
    steps_.push_back({.kind = job.kind, .item = job.item, .work = proto::Work{.task = job.item}});
  } else {
    steps_.push_back({.kind = job.kind, .item = job.item, .work = {}});
  }
  handle_steps();
  logs_[self_].change(state_between(), clock_);
  return clock_;
}

// The agent's state from now on until it handles something again.
State Machine::Impl::state_between() {
  if (!topology_.is_worker(self_)) return State::Idle;
  return worker().is_idle() ? State::Idle : State::Wait;
}

void Machine::Impl::handle_at_scheduler(Packet packet) {
  spawners_.clear();
  for (Packet::Item& item : packet.items) hand_over(packet.from, std::move(item));
  send_outbox();
  for (const AgentId spawner : spawners_) {
    cores_.schedule(clock_ + chip_.latency(core_of(self_), core_of(spawner)),
                    {.agent = spawner, .kind = JobKind::Spawned});
  }
}

void Machine::Impl::hand_over(AgentId from, Packet::Item item) {
  const bool is_own = item.message.to == self_;
  const bool is_spawn = std::holds_alternative<proto::Spawn>(item.message.body);
  if (is_own && is_spawn) spawners_.push_back(item.origin);
  const std::size_t first = outbox_.size();
  arrived_.emplace(from, std::move(item.message));
  schedulers_[self_]->host.serve();
  if (is_own) return;
  // What was only passed on stays as it was, and is the first that was sent.
  outbox_[first].item.origin = item.origin;
  outbox_[first].item.parts = item.parts;
}

// The time that the scheduler has taken passes, and what it has sent goes. What it has put off
// comes behind what has come meanwhile.
void Machine::Impl::send_outbox() {
  spend(std::exchange(analysis_, 0) * chip_.costs().step / 100);
  for (auto& [next_hop, item] : outbox_) {
    const AgentId next = next_hop;
    auto group = std::find_if(groups_.begin(), groups_.end(),
                              [&](const auto& other) { return other.first == next; });
    if (group == groups_.end()) group = groups_.insert(group, {next, Packet{.from = self_}});
    group->second.items.push_back(std::move(item));
  }
  outbox_.clear();
  for (auto& [next, packet] : groups_) send(std::move(packet));
  groups_.clear();
  if (!schedulers_[self_]->host.scheduler().has_more()) return;
  if (std::exchange(schedulers_[self_]->goes_on, true)) return;
  cores_.schedule(clock_, {.agent = self_, .kind = JobKind::More});
}

void Machine::Impl::handle_steps() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step step = std::move(steps_[i]);  // taking it may add others
    if (step.work) {
      spend(chip_.costs().task_start + delay());
      bodies_.begin(self_, *step.work);
    } else if (step.kind == JobKind::GoOn) {
      bodies_.go_on(step.item);
    } else {
      worker().worker().fetched(step.item);
    }
  }
  steps_.clear();
}

// ---- what takes time --------------------------------------------------------------------------

// Up to what a task or a dozen messages take, or several times as much.
Cycles Machine::Impl::delay() {
  if (!chaos_ || !chaos_->one_in(4)) return 0;
  return chaos_->below(chaos_->one_in(8) ? 1'000'000 : 20'000);
}

void Machine::Impl::send(Packet packet) {
  spend(units(packet.parts()) * chip_.costs().send);
  const AgentId next = topology_.next_hop(self_, packet.items.front().message.to);
  const bool is_upward = topology_.parent(self_) == next;
  Cycles& last = is_upward ? last_to_above_[self_] : last_from_above_[next];
  last = std::max(last, clock_ + chip_.latency(core_of(self_), core_of(next)) + delay());
  cores_.schedule(
      last, {.item = packets_.put(std::move(packet)), .agent = next, .kind = JobKind::Message});
}

void Machine::Impl::spawn(proto::Spawn message) {
  const AgentId home = proto::home_of(message.task->parent);
  const std::uint32_t accesses = static_cast<std::uint32_t>(message.task->accesses.size());
  spend(chip_.costs().spawn_task + accesses * chip_.costs().spawn_access);
  worker().spawns_ahead += 1;
  proto::Body body = std::move(message);
  const std::uint32_t parts = parts_of(body);
  send(parts, {.to = home, .body = std::move(body)});
}

void Machine::Impl::ended(TaskId task, std::uint32_t parts, proto::Body message) {
  spend(chip_.costs().task_end + delay());
  send(parts, {.to = proto::home_of(task), .body = std::move(message)});
  worker().ended(task);
}

void Machine::Impl::give_back(proto::GivenBack answer) {
  proto::Body body = std::move(answer);
  const std::uint32_t parts = parts_of(body);
  send(parts, {.to = topology_.parent(self_), .body = std::move(body)});
}

// The group of transfers is over when the last of them is. True: there are none.
bool Machine::Impl::fetch(std::uint64_t ticket, const proto::Pieces& pieces) {
  Cycles over_at = 0;
  for (const proto::Piece& piece : pieces) {
    const bool is_here = piece.producer == self_ || piece.producer == proto::kNoAgent;
    if (is_here || !piece.is_read || chip_.shares_memory()) continue;
    spend(chip_.costs().dma_start);
    over_at = std::max(over_at, transfer(piece));
    logs_[self_].usage().fetched_bytes += piece.bytes;
  }
  if (over_at == 0) return true;
  cores_.schedule(over_at, {.item = ticket, .agent = self_, .kind = JobKind::Fetched});
  return false;
}

// The order goes to the producer's engine, the bytes come back. Returns when they are all here.
Cycles Machine::Impl::transfer(const proto::Piece& piece) {
  const Cycles latency = chip_.latency(core_of(self_), core_of(piece.producer));
  const std::uint64_t rate = chip_.costs().bytes_per_cycle;
  Cycles& engine = engine_free_at_[piece.producer];
  engine = std::max(engine, clock_ + latency) + (piece.bytes + rate - 1) / rate;
  return engine + latency;
}

// ---- Machine ----------------------------------------------------------------------------------

Machine::Machine(const sched::Topology& topology, const Chip& chip, Settings settings,
                 Bodies& bodies, const Memory& memory)
    : impl_(std::make_unique<Impl>(topology, chip, settings, bodies, memory)) {}
Machine::~Machine() = default;

bool Machine::run() { return impl_->run(); }
Cycles Machine::now() const noexcept { return impl_->clock_; }
AgentUsage Machine::usage_of(AgentId agent) const { return impl_->logs_[agent].usage(); }
std::uint64_t Machine::event_count() const noexcept { return impl_->event_count_; }

void Machine::work(Cycles cycles) {
  AgentLog& log = impl_->logs_[impl_->self_];
  log.change(State::Task, impl_->clock_);
  impl_->clock_ += cycles;
  log.change(State::Runtime, impl_->clock_);
}
void Machine::spend(Cycles cycles) { impl_->clock_ += cycles; }
void Machine::send(AgentId to, proto::Body body) {
  const std::uint32_t parts = parts_of(body);
  impl_->send(parts, {.to = to, .body = std::move(body)});
}
void Machine::spawn(proto::Spawn message) { impl_->spawn(std::move(message)); }
bool Machine::may_spawn() const {
  return impl_->worker().spawns_ahead < impl_->settings_.spawns_ahead;
}
void Machine::resume_later(TaskId task) {
  impl_->cores_.schedule(impl_->clock_,
                         {.item = task, .agent = impl_->self_, .kind = JobKind::GoOn});
}
void Machine::resume_when_spawned(TaskId task) { impl_->worker().spawner = task; }
void Machine::waits(TaskId task) { impl_->worker().waits(task); }
void Machine::ended(TaskId task, std::uint32_t accesses) {
  impl_->ended(task, std::max(accesses, 1U), proto::BodyEnded{.task = task});
}
void Machine::ended_replayed(TaskId task, bool has_spawned) {
  impl_->ended(task, 1, proto::ReplayEnded{.task = task, .has_spawned = has_spawned});
}

}  // namespace myr::cluster::sim
