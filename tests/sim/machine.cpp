// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>

#include "process.hpp"

namespace myr::sim_test {

using proto::AgentId;

namespace {
constexpr std::uint64_t kEventsMax = 20'000'000;
// Most of it is taken from the start, and let go of when a task was refused memory.
constexpr proto::PageRun kMemory{.first = 1000, .count = 1'000'000};
constexpr std::uint64_t kAddedPages = 3;

// From one page to plenty, from no spare pages to many. Mostly processes get tasks by chance, so
// that much data has to travel.
sched::Options make_options(std::uint64_t seed, bool moves_data, WorkerKind kind) {
  return {.moves_data = moves_data,
          .threads = std::max(kind.threads, 1U),
          .takes_back = seed % 3 != 0,
          .memory = kMemory,
          .spare_pages = seed / 7 % 4,
          .chaos = kind.are_processes() && seed % 4 != 0 ? std::optional(seed) : std::nullopt};
}
std::uint64_t free_pages(std::uint64_t seed) { return 1 + seed % 7 * (seed % 7) * (seed % 5); }
}  // namespace

// The wire of an agent, from which messages come when chance wants.
struct Machine::AgentWire {
  void send(AgentId next_hop, proto::Message&& message) {
    machine.channels_[{self, next_hop}].push_back(std::move(message));
  }
  std::optional<sched::Incoming> receive() { return std::exchange(machine.arrived_, {}); }
  void misuse(sched::Misuse kind, std::uint64_t program, const proto::Access&) {
    machine.misuse_ =
        "misuse " + std::to_string(static_cast<int>(kind)) + " by task " + std::to_string(program);
  }
  Machine& machine;
  AgentId self;
};

struct Machine::SchedulerContext {
  SchedulerContext(Machine& machine, AgentId self, std::uint64_t seed,
                   const sched::Options& options)
      : SchedulerContext(machine, self, options,
                         std::make_unique<FakeStore>(
                             self == proto::kTop ? kMemory.count - free_pages(seed) : 0)) {}
  SchedulerContext(Machine& machine, AgentId self, const sched::Options& options,
                   std::unique_ptr<FakeStore> fake_store)
      : wire{machine, self},
        store(*fake_store),
        host(machine.topology_, self, options, wire, std::move(fake_store)) {}
  AgentWire wire;
  FakeStore& store;
  sched::Host<AgentWire> host;
};

struct Machine::Core final : SimulatedWorker, sched::Data, sched::SerialWorker {
  Core(Machine& machine_of, AgentId own)
      : sched::SerialWorker(static_cast<sched::Data&>(*this), own),
        machine(machine_of),
        self(own) {}
  bool fetch(Ticket ticket, const proto::Pieces& pieces, const proto::Work*) override {
    machine.later([this, ticket, pieces] {
      for (const proto::Piece& piece : pieces) machine.versions_.copy(piece, self);
      worker().fetched(ticket);
    });
    return false;
  }
  void begin(const proto::Work& work) override {
    machine.later([this, work] { machine.bodies_.begin(self, work); });
  }
  void go_on(proto::TaskId task) override {
    machine.later([this, task] { machine.bodies_.go_on(task); });
  }
  void give_back(proto::GivenBack answer) override { machine.give_back(self, std::move(answer)); }
  void take_answer(proto::RegionMade made) override { machine.bodies_.answer(made); }
  void take_answer(proto::Allocated allocated) override { machine.bodies_.answer(allocated); }
  // ---- SimulatedWorker
  void receive(proto::Body& body) override { worker().receive(body); }
  void start_main() override { SerialWorker::start_main(sched::kMain); }
  void waits(proto::TaskId task) override { SerialWorker::waits(task); }
  void ended(proto::TaskId task) override { SerialWorker::ended(task); }
  bool is_idle() const override { return SerialWorker::is_idle(); }
  const char* broken_invariant() const override { return worker().broken_invariant(); }
  Machine& machine;
  AgentId self;
};

Machine::Machine(const sched::Topology& topology, std::uint64_t seed, Bodies& bodies,
                 bool moves_data, WorkerKind kind)
    : topology_(topology), random_(seed), bodies_(bodies), network_(*this) {
  const sched::Options options = make_options(seed, moves_data, kind);
  for (const AgentId agent : topology.schedulers()) {
    schedulers_[agent] = std::make_unique<SchedulerContext>(*this, agent, seed, options);
  }
  for (const AgentId agent : topology.workers()) {
    if (kind.are_processes()) {
      workers_[agent] = std::make_unique<Process>(*this, network_, agent, kind);
    } else {
      workers_[agent] = std::make_unique<Core>(*this, agent);
    }
  }
  workers_.begin()->second->start_main();
}

void Machine::give_back(AgentId worker, proto::GivenBack answer) {
  if (answer.work.task != sched::kMain) given_back_ += 1;
  send(worker, topology_.parent(worker), std::move(answer));
}

Machine::~Machine() = default;

void Machine::send(AgentId from, AgentId to, proto::Body body) {
  channels_[{from, topology_.next_hop(from, to)}].push_back({.to = to, .body = std::move(body)});
}

void Machine::waits(AgentId worker, proto::TaskId task) { workers_.at(worker)->waits(task); }
void Machine::ended(AgentId worker, proto::TaskId task) { workers_.at(worker)->ended(task); }

void Machine::much_later(std::function<void()> event) {
  after(below(4) == 0 ? below(200) : 0, std::move(event));
}

// Each time that it could be its turn it lets another one go first.
void Machine::after(std::size_t others, std::function<void()> event) {
  if (others == 0) return later(std::move(event));
  later([this, others, event = std::move(event)] { after(others - 1, event); });
}

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
  if (topology_.is_worker(at)) {
    workers_.at(at)->receive(message.body);
    note_broken(at, workers_.at(at)->broken_invariant());
  } else {
    arrived_.emplace(from, std::move(message));
    serve(at);
  }
}

// What the scheduler puts off happens whenever chance wants, as everything does.
void Machine::serve(AgentId at) {
  auto& host = schedulers_.at(at)->host;
  host.serve();
  note_broken(at, host.scheduler().broken_invariant());
  if (host.scheduler().has_more()) later([this, at] { serve(at); });
}

void Machine::note_broken(AgentId at, const char* invariant) {
  if (invariant == nullptr || !misuse_.empty()) return;  // what is wrong comes first
  misuse_ = "agent " + std::to_string(at) + " is broken: " + invariant;
}

bool Machine::all_pages_found() const {
  std::uint64_t found = 0;
  for (const auto& [agent, context] : schedulers_) {
    const sched::PageMap& pages = context->host.scheduler().pages();
    found += pages.free_count() + pages.count_of(agent);
    for (const AgentId child : topology_.children(agent)) {
      if (topology_.is_worker(child)) continue;
      const sched::PageMap& below = schedulers_.at(child)->host.scheduler().pages();
      if (pages.count_of(child) != below.page_count()) return false;
    }
  }
  return found == kMemory.count;
}

bool Machine::all_idle() const {
  for (const auto& [agent, context] : schedulers_) {
    if (!context->host.scheduler().is_idle()) return false;
  }
  for (const auto& [agent, context] : workers_) {
    if (!context->is_idle()) return false;
  }
  return network_.is_idle();
}

}  // namespace myr::sim_test
