// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

namespace myr::sim_test {

using proto::AgentId;

namespace {
constexpr std::uint64_t kEventsMax = 20'000'000;
// Most of it is taken from the start, and let go of when a task was refused memory.
constexpr proto::PageRun kMemory{.first = 1000, .count = 1'000'000};
constexpr std::uint64_t kAddedPages = 3;

// From one page to plenty, from no spare pages to many.
sched::Options make_options(std::uint64_t seed) {
  return {.memory = kMemory, .spare_pages = seed / 7 % 4};
}
std::uint64_t free_pages(std::uint64_t seed) { return 1 + seed % 7 * (seed % 7) * (seed % 5); }
}  // namespace

struct Machine::SchedulerContext final : sched::Environment {
  SchedulerContext(Machine& machine_of, AgentId own, std::uint64_t seed)
      : machine(machine_of),
        self(own),
        store(own == proto::kTop ? kMemory.count - free_pages(seed) : 0),
        scheduler(machine.topology_, own, make_options(seed), *this, store) {}
  void send(proto::Message message) override {
    const AgentId to = message.to;
    machine.channels_[{self, machine.topology_.next_hop(self, to)}].push_back(std::move(message));
  }
  void misuse(sched::Misuse kind, std::uint64_t program, const proto::Access&) override {
    machine.misuse_ =
        "misuse " + std::to_string(static_cast<int>(kind)) + " by task " + std::to_string(program);
  }
  Machine& machine;
  AgentId self;
  FakeStore store;
  sched::Scheduler scheduler;
};

struct Machine::WorkerContext final : sched::Hands {
  WorkerContext(Machine& machine_of, AgentId own)
      : machine(machine_of), self(own), worker(*this, 1) {}
  void fetch(const proto::Work& work) override {
    machine.later([this, work] {
      for (const proto::Piece& piece : work.pieces) machine.versions_.copy(piece, self);
      worker.fetched(work.task);
    });
  }
  void begin(const proto::Work& work) override {
    machine.later([this, work] { machine.bodies_.begin(self, work); });
  }
  void go_on(proto::TaskId task) override {
    machine.later([this, task] { machine.bodies_.go_on(task); });
  }
  Machine& machine;
  AgentId self;
  sched::Worker worker;
};

Machine::Machine(const sched::Topology& topology, std::uint64_t seed, Bodies& bodies)
    : topology_(topology), random_(seed), bodies_(bodies) {
  for (const AgentId agent : topology.schedulers()) {
    schedulers_[agent] = std::make_unique<SchedulerContext>(*this, agent, seed);
  }
  for (const AgentId agent : topology.workers()) {
    workers_[agent] = std::make_unique<WorkerContext>(*this, agent);
  }
  workers_.begin()->second->worker.start_main(sched::kMain);
}

Machine::~Machine() = default;

void Machine::send(AgentId from, AgentId to, proto::Body body) {
  channels_[{from, topology_.next_hop(from, to)}].push_back({.to = to, .body = std::move(body)});
}

void Machine::waits(AgentId worker, proto::TaskId task) { workers_.at(worker)->worker.waits(task); }
void Machine::ended(AgentId worker, proto::TaskId task) { workers_.at(worker)->worker.ended(task); }

bool Machine::run() {
  for (std::uint64_t round = 0; round < kEventsMax && misuse_.empty(); ++round) {
    std::vector<std::pair<const std::pair<AgentId, AgentId>, std::deque<proto::Message>>*> ready;
    for (auto& channel : channels_) {
      if (!channel.second.empty()) ready.push_back(&channel);
    }
    if (ready.empty() && events_.empty()) return true;
    const std::size_t choice = below(ready.size() + events_.size());
    if (choice < ready.size()) {
      auto& [ends, queue] = *ready[choice];
      proto::Message message = std::move(queue.front());
      queue.pop_front();
      deliver(ends.first, ends.second, std::move(message));
    } else {
      std::swap(events_[choice - ready.size()], events_.back());
      const std::function<void()> event = std::move(events_.back());
      events_.pop_back();
      event();
    }
  }
  return false;
}

void Machine::add_memory() {
  trade_.refusals += 1;
  schedulers_.at(proto::kTop)->store.let_go(kAddedPages);
}

void Machine::count(const proto::Body& body) {
  const auto pages_of = [](const std::vector<proto::PageRun>& runs) {
    std::uint64_t pages = 0;
    for (const proto::PageRun& run : runs) pages += run.count;
    return pages;
  };
  message_count_ += 1;
  if (const auto* granted = std::get_if<proto::PagesGranted>(&body)) {
    trade_.granted += pages_of(granted->runs);
  }
  if (const auto* returned = std::get_if<proto::PagesReturned>(&body)) {
    trade_.returned += pages_of(returned->runs);
  }
  if (std::holds_alternative<proto::PagesDemanded>(body)) trade_.demands += 1;
}

void Machine::deliver(AgentId from, AgentId at, proto::Message message) {
  count(message.body);
  if (!topology_.is_worker(at)) {
    schedulers_.at(at)->scheduler.receive(from, std::move(message));
    return;
  }
  sched::Worker& worker = workers_.at(at)->worker;
  if (auto* execute = std::get_if<proto::Execute>(&message.body)) worker.handle(*execute);
  if (auto* over = std::get_if<proto::WaitOver>(&message.body)) worker.handle(*over);
  if (auto* made = std::get_if<proto::RegionMade>(&message.body)) bodies_.answer(*made);
  if (auto* allocated = std::get_if<proto::Allocated>(&message.body)) bodies_.answer(*allocated);
}

bool Machine::all_pages_found() const {
  std::uint64_t found = 0;
  for (const auto& [agent, context] : schedulers_) {
    const sched::PageMap& pages = context->scheduler.pages();
    found += pages.free_count() + pages.count_of(agent);
    for (const AgentId child : topology_.children(agent)) {
      if (topology_.is_worker(child)) continue;
      const sched::PageMap& below = schedulers_.at(child)->scheduler.pages();
      if (pages.count_of(child) != below.page_count()) return false;
    }
  }
  return found == kMemory.count;
}

bool Machine::all_idle() const {
  for (const auto& [agent, context] : schedulers_) {
    if (!context->scheduler.is_idle()) return false;
  }
  for (const auto& [agent, context] : workers_) {
    if (!context->worker.is_idle()) return false;
  }
  return true;
}

}  // namespace myr::sim_test
