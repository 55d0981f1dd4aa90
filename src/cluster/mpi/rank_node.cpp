// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/rank_node.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <variant>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/mpi/rank_context.hpp"
#include "graph/resolve.hpp"
#include "graph/task_arena.hpp"
#include "plat/clock.hpp"
#include "plat/thread.hpp"
#include "sync/cancelled_regions.hpp"
#include "sync/events.hpp"

namespace myr::cluster::mpi {

using engine::Worker;
using graph::Task;
using transport::mpi::Patience;

namespace {

// How long a process has nothing to do before it tells others, which then spread more.
constexpr std::uint64_t kIdleNs = 500'000;
// Data is fetched for so many replayed tasks beside those that run.
constexpr std::size_t kReplaysAhead = 1;
// How many of main's tasks tell, between two waits for all, how long they take.
constexpr std::uint64_t kSampledMax = 4 * SpreadTask::kSamples;

// The bytes of a parcel for the process that made it: the task itself.
Bytes address_bytes(Task* task) {
  Bytes bytes(sizeof task);
  std::memcpy(bytes.data(), &task, sizeof task);
  return bytes;
}
Task& task_in(const Bytes& bytes) {
  Task* task = nullptr;
  std::memcpy(&task, bytes.data(), sizeof task);
  return *task;
}

// About how long a task takes to another process, with what has to be brought there.
std::uint64_t travel_ns(const proto::Work& work) {
  constexpr std::uint64_t kMessagesNs = 100'000;
  constexpr std::uint64_t kBytesPerNs = 1;
  std::uint64_t bytes = 0;
  for (const proto::Piece& piece : work.pieces) bytes += piece.is_read ? piece.bytes : 0;
  return kMessagesNs + bytes / kBytesPerNs;
}

// The spawner did not know them. False: some object's is unknown, as it came within a region.
bool set_lengths(std::span<myr_access> accesses, const proto::Pieces& pieces) {
  bool are_known = true;
  for (myr_access& access : accesses) {
    const bool is_other = (access.flags & (MYR_REGION | MYR_VALUE)) != 0;
    if (is_other || !graph::is_whole(access.bytes, access.flags, 0)) continue;
    const auto piece = std::find_if(pieces.begin(), pieces.end(), [&](const proto::Piece& one) {
      return !one.in_region && one.address == reinterpret_cast<std::uintptr_t>(access.address);
    });
    are_known = are_known && piece != pieces.end();
    if (piece == pieces.end()) continue;
    std::uint64_t bytes = piece->bytes;
    for (auto next = piece + 1; next != pieces.end() && next->goes_on; ++next) bytes += next->bytes;
    graph::set_length(access, bytes);
  }
  return are_known;
}

// An object in several pieces is one.
std::size_t count_objects(const proto::Pieces& pieces) {
  return static_cast<std::size_t>(std::count_if(
      pieces.begin(), pieces.end(), [](const proto::Piece& piece) { return !piece.goes_on; }));
}

void write_accesses(const proto::Pieces& pieces, myr_access* next) {
  for (const proto::Piece& piece : pieces) {
    if (piece.goes_on) continue;
    unsigned mode = MYR_IN;
    if (piece.mode == proto::Mode::Write) mode = piece.is_read ? MYR_INOUT : MYR_OUT;
    *next++ = myr_make_access(reinterpret_cast<void*>(piece.address), 0, mode);
  }
}

ThreadedNode::Shape shape_of(const Rank& rank, const sched::Topology& topology, AgentId self,
                             unsigned threads) {
  return {.threads = threads,
          .first_worker = topology.worker_number(self) * threads,
          .worker_count = static_cast<unsigned>(topology.workers().size()) * threads,
          .spreading_ticks = rank.spins() ? 50'000U : 500'000U};
}

}  // namespace

RankNode::RankNode(Rank& rank, const sched::Topology& topology, const Modules& modules,
                   const Options& options, graph::RegionSpace& space)
    : ThreadedNode(topology, agent_at(topology, rank.self()),
                   shape_of(rank, topology, agent_at(topology, rank.self()), options.threads),
                   static_cast<sched::Data&>(*this),
                   {.tasks_ahead = options.threads + kReplaysAhead, .only_replays_wait = true}),
      rank_(rank),
      modules_(modules),
      options_(options),
      space_(space),
      recyclers_(shape().worker_count),
      contexts_(options.threads),
      made_regions_(space),
      post_(rank, topology),
      vigil_(post_, options.silence_ns),
      transfers_(post_, self_, options.poisons),
      known_(space),
      failures_(modules, self_),
      wanting_(topology.agent_count()) {
  abroad_.spawns.store(false, sync::relaxed);
  main().knowledge.store(known_.new_stamp(), sync::relaxed);
  for (const AgentId worker : topology.workers()) {
    const bool is_told = topology.parent(worker) == topology.parent(self_);
    wanting_[worker].store(is_told, sync::relaxed);
  }
}

RankNode::~RankNode() = default;

// ---- threads ------------------------------------------------------------------------------------

base::Result<bool> RankNode::start_engine(bool has_main) {
  if (auto tasks = graph::TaskArena::reserve(); !tasks) return tasks.error();
  if (auto tables = known_.start(); !tables) return tables.error();
  graph::TaskArena::clear();
  engine::EngineOptions own{.worker_count = options_.threads,
                            .measure_time = options_.measures_time,
                            .recording = options_.recording,
                            .spin_ns = rank_.spins() && !waits_alone() ? options_.spin_ns : 0,
                            .nodes = {this},
                            .recyclers = &recyclers_,
                            .first_worker = shape().first_worker,
                            .guests_max = 0,
                            .has_main = has_main};
  if (options_.chaos) own.chaos = *options_.chaos + self_;
  auto made = engine::Engine::create(space_, own);
  if (!made) return made.error();
  sync::Events::instance().join_job(rank_.self());
  const std::scoped_lock lock(lock_);  // its threads run already
  engine_ = std::move(*made);
  return true;
}

base::Result<bool> RankNode::start_main() {
  if (auto started = start_engine(true); !started) return started;
  auto helper = plat::Thread::start({.name = "myr-mpi"}, [this] { serve_until(helper_stops_); });
  if (!helper) return helper.error();
  helper_.emplace(std::move(*helper));
  return true;
}

void RankNode::stop_main() {
  NodeContext::leave_thread();
  engine_->stop();
  helper_stops_.store(true, sync::relaxed);  // it looks again soon
  helper_.reset();
  const std::string warning = stayed_.warning();
  if (!warning.empty()) base::print(stderr, "myrmidon: warning: {}\n", warning);
}

base::Result<bool> RankNode::run() {
  if (auto started = start_engine(false); !started) return started;
  serve_until(is_stopping_);
  engine_->stop();
  return true;
}

// Spins only if nobody computes here: else the task that does has the processor.
void RankNode::serve_until(const sync::Atomic<bool>& stops) {
  plat::prefer_short_slices();
  Patience idle(rank_.spins(), Patience::Who::Helper);
  Patience busy(false, Patience::Who::Helper);
  while (!stops.load(sync::relaxed)) {
    const bool computes = engine_->sleepers().count() < options_.threads;
    {
      const std::scoped_lock lock(lock_);
      if (!Patience::may_rest()) look(computes, computes ? busy : idle);
    }
    computes ? busy.pause() : idle.pause();
  }
}

void RankNode::look(bool computes, Patience& patience) {
  vigil_.look();
  if (serve()) patience.reset();
  patience.expect(transfers_.are_under_way() || rank_.is_sending_much() || rank_.is_backed_up());
  if (computes || agent_.has_task_here()) {
    idle_since_ns_ = 0;
  } else if (idle_since_ns_ == 0) {
    idle_since_ns_ = plat::now_ns();
  } else if (!is_wanting_ && plat::now_ns() - idle_since_ns_ > kIdleNs) {
    tell_wanting(true);
  }
}

// In a process with one thread for tasks, the helper may rest while that one waits.
Patience::Who RankNode::waiter() const {
  return options_.threads == 1 ? Patience::Who::WaiterForHelper : Patience::Who::Waiter;
}

void RankNode::take_messages_until(Worker&, const std::function<bool()>& done) {
  Patience patience(rank_.spins(), waiter());
  for (;;) {
    {
      const std::scoped_lock lock(lock_);
      look(/*computes=*/true, patience);
      if (done()) return;
    }
    patience.pause();
  }
}

Task* RankNode::wait_alone(Worker& worker) {
  Patience patience(rank_.spins(), Patience::Who::WaiterForHelper);
  for (;;) {
    {
      const std::scoped_lock lock(lock_);
      if (engine_ != nullptr) look(/*computes=*/false, patience);
      if (Task* const task = take_arrival(worker)) return task;
    }
    if (worker.has_news() || worker.engine().common().has_some()) return nullptr;
    patience.pause();
  }
}

AgentUsage RankNode::usage() const {
  AgentUsage usage = usage_of(*engine_, 0, options_.threads);
  usage.messages = post_.message_count();
  usage.message_bytes = post_.message_bytes();
  usage.fetched_bytes = transfers_.fetched_bytes();
  usage.kept_tasks = stayed_.count();
  return usage;
}

// ---- what tasks do ------------------------------------------------------------------------------

void RankNode::post(AgentId to, proto::Body body) {
  post_.send(topology_.parent(self_), {.to = to, .body = std::move(body)});
}

bool RankNode::is_work_wanted_below(AgentId scheduler) const {
  const std::vector<AgentId>& workers = topology_.workers();
  return std::any_of(workers.begin(), workers.end(), [&](AgentId worker) {
    return worker != self_ && wanting_[worker].load(sync::relaxed) &&
           topology_.is_within(worker, scheduler);
  });
}

Sender RankNode::sender_for(const SpreadTask& parent) {
  Sender sender{.spawner = self_, .level = parent.level + 1};
  const std::scoped_lock lock(lock_);
  stayed_.note_task();
  if (parent.is_main() && sampled_ < kSampledMax) {
    sampled_ += 1;
    sender.wants_sample = 1;
  }
  return sender;
}

bool RankNode::pack_loop(const SpreadTask& parent, const TaskParts& part, proto::Parcel& parcel) {
  auto bytes = pack(part, modules_, sender_for(parent));
  if (!bytes) return false;
  parcel.bytes = std::move(*bytes);
  return true;
}

bool RankNode::pack_task(const SpreadTask& parent, const TaskParts& task, Task& itself,
                         std::optional<Stayed::Why> stays, proto::Parcel& parcel) {
  const Sender sender = sender_for(parent);
  if (!stays) {
    if (auto bytes = pack(task, modules_, sender)) {
      parcel.bytes = std::move(*bytes);
      return false;
    }
  }
  const std::scoped_lock lock(lock_);
  stayed_.note(stays.value_or(Stayed::Why::CannotTravel), task.site);
  parcel.bound_to = self_;
  parcel.bytes = address_bytes(&itself);
  return true;
}

void RankNode::note_lent_on(proto::TaskId task) {
  const std::scoped_lock lock(lock_);
  const auto guest = guests_.find(task);
  if (guest != guests_.end()) guest->second.lends_on = !guest->second.parcel.loans.empty();
}

void RankNode::note_owners(proto::TaskId task, const myr_site* site) {
  const std::scoped_lock lock(lock_);
  guests_.at(task).owners_made_by = site;
}

void RankNode::let_go_of_main() {
  const std::scoped_lock lock(lock_);
  sampled_ = 0;
  hand_over_made(proto::kMain);
}

bool RankNode::take_spares(proto::TaskId holder, const Spares::Kind& kind, std::span<void*> objects,
                           std::size_t& more) {
  const std::scoped_lock lock(lock_);
  Spares& spares = spares_[holder];
  if (spares.take(kind, objects)) return true;
  more = spares.more(kind, objects.size());
  return false;
}

void RankNode::keep_spares(proto::TaskId holder, const Spares::Kind& kind,
                           std::span<void* const> objects) {
  const std::scoped_lock lock(lock_);
  spares_[holder].put(kind, objects);
}

void RankNode::give_back_spares(proto::TaskId holder) {
  const std::scoped_lock lock(lock_);
  free_spares(holder);
}

void RankNode::free_spares(proto::TaskId holder) {
  const auto found = spares_.find(holder);
  if (found == spares_.end()) return;
  found->second.give_back([this](const Spares::Kind& kind, void* object) {
    post(proto::owner_of_region(proto::NodeId::region(kind.region)),
         proto::Free{.node = proto::NodeId::object(reinterpret_cast<std::uintptr_t>(object))});
  });
  spares_.erase(found);
}

void RankNode::hand_over(proto::TaskId holder) {
  const std::scoped_lock lock(lock_);
  hand_over_made(holder);
}

// Others are about to learn of what the task has made. A region whose objects own others must lie
// in one that is kept here, or these would be taken for their bytes.
void RankNode::check_left(proto::TaskId holder) const {
  const auto guest = guests_.find(holder);
  if (guest == guests_.end() || guest->second.owners_made_by == nullptr) return;
  const deps::RegionTree& tree = space_.tree();
  for (deps::RegionIndex region : made_regions_.regions_of(holder)) {
    if (!kept_regions_.has(tree.id_of(region))) continue;
    while (made_regions_.has(region)) region = tree.parent(region);
    if (kept_regions_.has(tree.id_of(region))) continue;
    base::misuse(guest->second.owners_made_by,
                 "the task spawned here leaves a region behind, or spawns tasks for others, with "
                 "objects in it that hold addresses of its process's memory, as a std::string "
                 "does; others would find only their bytes. It frees the region before, or main "
                 "calls keep_here() of the region around it before it spawns the task");
  }
}

void RankNode::hand_over_made(proto::TaskId holder) {
  check_left(holder);
  made_regions_.hand_over(
      holder, self_,
      [this](AgentId owner, proto::HandOver message) { post_regions(owner, std::move(message)); },
      KnownMemory::leave);
}

// One of many such messages, perhaps.
void RankNode::post_regions(AgentId owner, proto::HandOver message) {
  post(owner, std::move(message));
  vigil_.tell();
}

void RankNode::object_freed(const void* object) {
  const std::scoped_lock lock(lock_);
  known_.object_freed(object);
}

// Its maker completes it.
bool RankNode::tell_event(std::uint64_t event, base::Exception failure, const myr_site* site) {
  const unsigned maker = sync::Events::maker_of(event);
  if (maker >= rank_.count() || !topology_.is_worker(agent_at(topology_, maker))) return false;
  proto::Happened happened{.event = event, .place = modules_.place_of(site)};
  const std::scoped_lock lock(lock_);
  if (failure) {
    const auto told = failures_.to_message({}, {std::move(failure), site}, false);
    happened.failure = std::move(told->bytes);
  }
  post_.send(maker, std::move(happened));
  return true;
}

// ---- what comes ---------------------------------------------------------------------------------

bool RankNode::serve() {
  bool has_come = false;
  while (post_.look()) has_come = true;
  while (const auto notice = post_.take_notice()) {
    std::visit(
        [&](const auto& frame) {
          if constexpr (requires { hear(frame, notice->from); }) {
            hear(frame, notice->from);
          } else {
            MYR_ASSERT(false);  // no worker is told that
          }
        },
        notice->frame);
  }
  while (auto incoming = post_.take_message()) agent_.receive(incoming->message.body);
  transfers_.settle();
  note_requests();
  agent_.look_ahead();
  return has_come;
}

void RankNode::hear(const proto::Shared& answer, unsigned) {
  reinterpret_cast<RankContext*>(answer.asker)->one_knows();
}

void RankNode::hear(const proto::Sample& sample, unsigned) {
  main().ended_ticks.fetch_add(sample.ticks, sync::relaxed);
  main().ended_count.fetch_add(1, sync::relaxed);
}

void RankNode::hear(const proto::Wanting& wanting, unsigned from) {
  wanting_[agent_at(topology_, from)].store(wanting.wants, sync::relaxed);
}

void RankNode::hear(const proto::Happened& event, unsigned) {
  const auto* const site = static_cast<const myr_site*>(modules_.address_of(event.place));
  base::Exception failure;
  if (!event.failure.empty()) {
    failure = failures_.from_message({.time = {}, .bytes = event.failure}).exception;
  }
  const auto completion = sync::Events::instance().complete(event.event, failure);
  MYR_ASSERT(completion != sync::Events::Completion::Elsewhere);
  if (completion == sync::Events::Completion::Unknown) sync::Events::report_none(site);
}

void RankNode::take_answer(proto::Lent answer) {
  for (const proto::PageRun pages : answer.pages) known_.forget(pages);
  made_regions_.borrow(answer);
  reinterpret_cast<RankContext*>(answer.request)->answer(answer);
}

void RankNode::take_answer(proto::Described answer) {
  reinterpret_cast<RankContext*>(answer.request)->answer(std::move(answer));
}

// ---- tasks that come, and what they use ---------------------------------------------------------

bool RankNode::fetch(Ticket ticket, const proto::Pieces& pieces, const proto::Work* task) {
  const auto then = [this, ticket] { agent_.fetched(ticket); };
  if (task == nullptr) {
    transfers_.fetch(pieces, proto::kNoAgent, {}, then);
    return false;
  }
  if (is_wanting_) tell_wanting(false);
  Guest& guest = guests_[task->task];
  const proto::Parcel& parcel = *task->parcel;
  if (parcel.bound_to != self_) guest.parcel = unpack(parcel.bytes, modules_, self_);
  let_use_variables(guest, true);
  transfers_.fetch(pieces, guest.parcel.sender.spawner, guest.parcel.loans, then);
  return false;
}

void RankNode::note_requests() {
  const std::uint64_t now = agent_.has_requests() ? plat::now_ns() : 0;
  if (now != 0 && held_since_ns_ != 0) held_ns_ += now - held_since_ns_;
  held_since_ns_ = now;
}

// Gives the task up when requests have waited for as long as it would travel.
bool RankNode::give_up(const proto::Work& task) {
  if (held_ns_ < travel_ns(task)) return false;
  held_ns_ = 0;
  const auto guest = guests_.find(task.task);
  let_use_variables(guest->second, false);
  guests_.erase(guest);
  return true;
}

void RankNode::end_wait(proto::TaskId task, proto::FailurePtr failure) {
  Task* const waiter = take_waiter(task);
  if (waiter == nullptr) {  // what it has lent on has come back
    Guest& guest = guests_.at(task);
    proto::keep_first(guest.failure, std::move(failure));
    give_back(guest);
    return;
  }
  if (failure != nullptr) {
    Worker::add_failure(*waiter, failures_.from_message(*failure));
  }
  Worker::end_wait(*waiter);
}

// Tells the processes below the same scheduler, from which it may get tasks.
void RankNode::tell_wanting(bool wants) {
  is_wanting_ = wants;
  const AgentId above = topology_.parent(self_);
  for (const AgentId worker : topology_.workers()) {
    if (worker == self_ || topology_.parent(worker) != above) continue;
    post_.send(rank_of(topology_, worker), proto::Wanting{.wants = wants});
  }
}

// ---- Outside ------------------------------------------------------------------------------------

unsigned RankNode::first_track() const {
  return cluster::first_track(topology_, self_, options_.threads);
}

void RankNode::adopt_thread(Worker& worker) {
  contexts_[worker.index()] = std::make_unique<RankContext>(*this, worker);
  contexts_[worker.index()]->adopt_thread();
}

Task* RankNode::take(Worker& worker) {
  const std::scoped_lock lock(lock_);
  if (engine_ == nullptr) return nullptr;
  serve();
  return take_arrival(worker);
}

Task* RankNode::take_arrival(Worker& worker) {
  auto work = agent_.take();
  if (!work) return nullptr;
  Guest& guest = guests_.at(work->task);
  guest.work = std::move(*work);
  agent_.look_ahead();
  return &make_task(worker, guest);
}

// A part of a loop holds what was brought for it.
Task& RankNode::unpack_task(Worker& worker, const Guest& guest) {
  const TaskParts& parts = guest.parcel.parts;
  const proto::Pieces& pieces = guest.work.pieces;
  const proto::Iterations iterations = guest.work.iterations;
  const bool is_part = !iterations.none();
  const std::size_t count = is_part ? count_objects(pieces) : parts.accesses.size();
  Task& task = *worker.draft(parts.closure.size(), count, sizeof(SpreadTask));
  fill(guest.parcel, guest.work.parcel->bytes, modules_, static_cast<std::byte*>(task.closure()),
       task.accesses());
  if (is_part) {
    new (task.closure()) base::PartRange{iterations.begin, iterations.end};
    write_accesses(pieces, task.accesses());
  }
  task.site = parts.site;
  if (parts.function != nullptr) task.set(graph::kPlainFunction);
  parts.function != nullptr ? static_cast<void>(task.function = parts.function)
                            : static_cast<void>(task.body = parts.body);
  task.set(graph::kSpread);
  new (&spread_task_of(task)) SpreadTask;
  return task;
}

// A child of a task that stands for its real parent, which is elsewhere, or does not count it.
Task& RankNode::make_task(Worker& worker, Guest& guest) {
  Task& stand_in = *worker.draft(0, 0);
  stand_in.parent = nullptr;
  stand_in.site = nullptr;
  stand_in.depth = 0;
  worker.accept(stand_in);
  const proto::Parcel& parcel = *guest.work.parcel;
  Task* task = nullptr;
  if (parcel.bound_to == self_) {
    task = &task_in(parcel.bytes);
  } else {
    task = &unpack_task(worker, guest);
  }
  task->parent = &stand_in;
  task->depth = 1;
  task->order = 0;
  SpreadTask& self = spread_task_of(*task);
  self.has_lengths = set_lengths({task->accesses(), task->access_count}, guest.work.pieces);
  self.parent = &abroad_;
  self.id = guest.work.task;
  self.level = guest.parcel.sender.level;
  self.is_replayed = guest.work.place.is_replayed;
  self.clock = proto::SerialClock(guest.work.time);
  self.knowledge.store(known_.new_stamp(), sync::relaxed);
  guest.stand_in = &stand_in;
  guest.begin_ticks = plat::ticks();
  worker.accept(*task);
  return *task;
}

engine::Outside::Ended RankNode::body_ended(Worker& worker, Task& task, const void* frame) {
  SpreadTask& self = spread_task_of(task);
  tell_locals_gone(worker, self, frame);
  const proto::TaskId id = self.id;
  const std::scoped_lock lock(lock_);
  Guest& guest = guests_.at(id);
  guest.end_at(self.clock.now(), Worker::has_failure(task));
  guest.ticks = plat::ticks() - guest.begin_ticks;
  guest.is_dropped = (task.flags & graph::kDropped) != 0;
  self.~SpreadTask();
  return {this, id};
}

void RankNode::tell_ended(Worker& worker, std::uint64_t ended) {
  const std::scoped_lock lock(lock_);
  Guest& guest = guests_.at(ended);
  if (auto thrown = worker.take_failure_of(*guest.stand_in)) {
    const bool is_kept =
        guest.work.parcel->bound_to == self_ || guest.parcel.sender.spawner == self_;
    guest.failure = failures_.to_message(guest.failed_at, std::move(*thrown), is_kept);
  }
  worker.discard(*guest.stand_in);
  if (guest.is_dropped) {  // others may read what it was to write
    transfers_.fetch_unread(guest.work.pieces, [this, ended] { give_back(guests_.at(ended)); });
  } else if (guest.lends_on) {  // it goes back when those to whom it was lent on are done
    post(proto::home_of(ended), proto::WaitAll{.task = ended, .time = guest.time});
  } else {
    give_back(guest);
  }
}

// Gives back what the task has written to memory that it was lent. The next user asks the lender,
// which has it when the end is told. What was not brought is of no use if the task may have left
// some out.
void RankNode::give_back(Guest& guest) {
  const bool is_whole = guest.failure == nullptr && !guest.is_dropped;
  const proto::TaskId id = guest.work.task;
  proto::Return written{.task = id, .memory = {}};
  for (const Loan& loan : guest.parcel.loans) {
    if (!loan.is_written || (!loan.is_read && !is_whole)) continue;
    const auto* const first = reinterpret_cast<const std::byte*>(loan.here);
    written.memory.push_back({.address = loan.address, .bytes = {first, loan.bytes}});
  }
  if (written.memory.empty()) return end_guest(id);
  post_.send(rank_of(topology_, guest.parcel.sender.spawner), std::move(written));
}

void RankNode::end_guest(proto::TaskId task) {
  const auto found = guests_.find(task);
  Guest& guest = found->second;
  const Sender& sender = guest.parcel.sender;
  if (sender.wants_sample != 0) {
    post_.send(rank_of(topology_, sender.spawner), proto::Sample{.ticks = guest.ticks});
  }
  let_use_variables(guest, false);
  free_spares(task);
  hand_over_made(task);
  if (guest.work.place.is_replayed) {
    post(proto::home_of(task),
         proto::ReplayEnded{.task = task, .failure = std::move(guest.failure)});
  } else {
    post(proto::home_of(task), proto::BodyEnded{.task = task, .failure = std::move(guest.failure)});
  }
  guests_.erase(found);
}

}  // namespace myr::cluster::mpi
