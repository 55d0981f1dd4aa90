// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/worker_rank.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "cluster/mpi/failures.hpp"
#include "cluster/mpi/parcel.hpp"
#include "plat/clock.hpp"
#include "sync/cancelled_regions.hpp"

namespace myr::cluster::mpi {

using plat::Fiber;

namespace {

constexpr unsigned kPrefetch = 1;  // tasks whose data is fetched while another one runs

// The bytes of a parcel for the process that made it: the task itself.
Bytes address_bytes(UserTask* task) {
  Bytes bytes(sizeof task);
  std::memcpy(bytes.data(), &task, sizeof task);
  return bytes;
}
UserTask* address_in(const Bytes& bytes) {
  UserTask* task = nullptr;
  std::memcpy(&task, bytes.data(), sizeof task);
  return task;
}

}  // namespace

WorkerRank::WorkerRank(Rank& rank, const sched::Topology& topology, const Modules& modules)
    : AgentContext(topology, agent_at(topology, rank.self())),
      rank_(rank),
      modules_(modules),
      abroad_(UserTask::make(nullptr, 0, 0)),
      thread_(Fiber::of_this_thread()),
      strands_([this](AgentId, const proto::Work& work) { run_task(work); }),
      patience_(rank.spins()),
      post_(rank, topology),
      worker_(*this, kPrefetch) {
  strands_.set_home(*thread_);
}

WorkerRank::~WorkerRank() = default;

// ---- the thread ---------------------------------------------------------------------------------

base::Result<bool> WorkerRank::start_main() {
  auto home = Fiber::create(kTaskStackBytes, run_home, this);
  if (!home) return home.error();
  home_ = std::move(*home);
  strands_.set_home(*home_);
  main_ = UserTask::make(nullptr, 0, 0);
  main_->id = proto::kMain;
  current_ = proto::kMain;
  strands_.adopt(proto::kMain, *thread_);
  worker_.start_main(proto::kMain);
  resume(*main_);
  computes_.store(true, sync::relaxed);
  return start_helper();
}

void WorkerRank::stop_main() {
  end_main();
  stop_helper();
}

base::Result<bool> WorkerRank::run() {
  if (auto started = start_helper(); !started) return started;
  stay_home();
  stop_helper();
  return true;
}

void WorkerRank::run_home(void* self) {
  static_cast<WorkerRank*>(self)->stay_home();
  MYR_ASSERT(false);  // main stops the machine while it is not home
}

void WorkerRank::stay_home() {
  computes_.store(false, sync::relaxed);
  for (;;) {
    std::optional<Step> step;
    bool has_come = false;
    {
      const std::scoped_lock lock(lock_);
      if (steps_.empty()) has_come = serve();
      if (!steps_.empty()) {
        step = std::move(steps_.front());
        steps_.pop_front();
      } else if (is_stopping_) {
        return;
      }
    }
    if (step) {
      take(*step);
      patience_.reset();
    } else if (has_come) {
      patience_.reset();
    } else {
      patience_.pause();
    }
  }
}

void WorkerRank::take(const Step& step) {
  current_ = step.task;
  computes_.store(true, sync::relaxed);
  if (step.work) {
    strands_.begin(self(), *step.work, site_in(step.work->program, modules_));
  } else {
    strands_.go_on(step.task);
  }
  computes_.store(false, sync::relaxed);
}

void WorkerRank::run_task(const proto::Work& work) {
  const proto::Parcel& parcel = *work.parcel;
  UserTaskPtr task = parcel.bound_to == self() ? UserTaskPtr(address_in(parcel.bytes))
                                               : unpack(parcel.bytes, modules_, *abroad_);
  task->clock = proto::SerialClock(work.time);
  AgentContext::run(std::move(task), work.task);
}

UserTask& WorkerRank::suspend() {
  UserTask& task = leave();
  strands_.leave(task.id);
  resume(task);
  return task;
}

// ---- what a task does ---------------------------------------------------------------------------

plat::StackBounds WorkerRank::stack() const { return strands_.stack_of(task().id); }

void WorkerRank::send(AgentId to, proto::Body body) {
  const std::scoped_lock lock(lock_);
  post_.send(topology().parent(self()), {.to = to, .body = std::move(body)});
}

void WorkerRank::send_spawn(proto::Spawn spawn) {
  const AgentId home = proto::home_of(spawn.task->parent);
  send(home, std::move(spawn));
  transport::mpi::Patience patience(rank_.spins());
  for (;;) {
    {
      const std::scoped_lock lock(lock_);
      if (MYR_LIKELY(!rank_.is_backed_up())) return;
      if (serve()) patience.reset();
    }
    patience.pause();
  }
}

void WorkerRank::hand_over(UserTaskPtr task, proto::Task& message) {
  message.program = program_of_call(task->site, Call::Spawn);
  message.parcel = std::make_shared<proto::Parcel>();
  if (message.unmanaged.empty() && !task->stays) {
    if (auto bytes = pack(*task, modules_)) {
      message.parcel->bytes = std::move(*bytes);
      return;
    }
  }
  kept_ += 1;
  message.parcel->bound_to = self();
  message.parcel->bytes = address_bytes(task.release());
}

std::uint64_t WorkerRank::program_of_call(const myr_site* site, Call call) const {
  return program_at(site, call, modules_);
}

void WorkerRank::await_answer() { suspend(); }

void WorkerRank::await_wait_over() {
  const proto::TaskId id = task().id;
  {
    const std::scoped_lock lock(lock_);
    worker_.waits(id);
  }
  UserTask& waiting = suspend();
  proto::FailurePtr failure;
  {
    const std::scoped_lock lock(lock_);
    if (auto found = failures_.extract(id); !found.empty()) failure = std::move(found.mapped());
  }
  if (failure != nullptr) waiting.receive(from_message(*failure, modules_));
}

// Failures of tasks whose parents are in other processes have gone abroad.
void WorkerRank::ended(proto::TaskId task, std::uint32_t) {
  proto::BodyEnded message{.task = task};
  if (const auto failure = abroad_->take_failure()) {
    message.failure = to_message(*failure, modules_);
  }
  send(proto::home_of(task), std::move(message));
  const std::scoped_lock lock(lock_);
  worker_.ended(task);
}

// Tasks that other processes spawn hear of it some time later, as on other machines.
void WorkerRank::cancel_region(myr_region region, const myr_site* site) {
  AgentContext::cancel_region(region, site);
  std::byte bytes[sizeof region];
  std::memcpy(bytes, &region, sizeof region);
  const std::scoped_lock lock(lock_);
  for (const AgentId worker : topology().workers()) {
    if (worker != self()) post_.send(rank_of(topology(), worker), Kind::Cancel, bytes);
  }
}

std::size_t WorkerRank::object_bytes(void* object) const {
  const auto found = object_bytes_.find(reinterpret_cast<std::uintptr_t>(object));
  return found == object_bytes_.end() ? 0 : found->second;
}

// ---- what comes ---------------------------------------------------------------------------------

bool WorkerRank::serve() {
  bool has_come = false;
  while (post_.look()) has_come = true;
  while (auto notice = post_.take_notice()) hear(*notice);
  while (auto incoming = post_.take_message()) {
    if (auto* over = std::get_if<proto::WaitOver>(&incoming->message.body)) {
      if (over->failure != nullptr) failures_[over->task] = std::move(over->failure);
      object_bytes_.clear();
      for (const proto::Piece& piece : over->pieces) object_bytes_[piece.address] = piece.bytes;
    }
    worker_.receive(std::move(incoming->message));
  }
  hear_all_transfers();
  while (!fetched_.empty()) {
    const proto::TaskId task = fetched_.back();
    fetched_.pop_back();
    worker_.fetched(task);
  }
  return has_come || !steps_.empty();
}

void WorkerRank::hear(const Post::Notice& notice) {
  const std::span<const std::byte> content = notice.content();
  if (notice.kind == Kind::Fetch) {
    std::vector<Range> ranges(content.size() / sizeof(Range));
    std::memcpy(ranges.data(), content.data(), content.size());
    rank_.serve(ranges, notice.from);
  } else if (notice.kind == Kind::Cancel) {
    myr_region region = 0;
    std::memcpy(&region, content.data(), sizeof region);
    sync::CancelledRegions::add(region);
  } else {
    MYR_ASSERT(notice.kind == Kind::Stop);
    is_stopping_ = true;
  }
}

void WorkerRank::take_answer(proto::RegionMade made) {
  answer(made);
  steps_.push_back({current_, {}});
}

void WorkerRank::take_answer(proto::Allocated allocated) {
  answer(std::move(allocated));
  steps_.push_back({current_, {}});
}

// ---- data ---------------------------------------------------------------------------------------

bool WorkerRank::is_here(const proto::Piece& piece) const {
  return piece.producer == self() || piece.producer == proto::kNoAgent || !piece.is_read;
}

// One transfer from each worker that has some of it.
void WorkerRank::fetch(const proto::Work& work) {
  std::map<AgentId, std::vector<Range>> ranges;
  for (const proto::Piece& piece : work.pieces) {
    if (is_here(piece)) continue;
    ranges[piece.producer].push_back({piece.address, piece.bytes});
    fetched_bytes_ += piece.bytes;
  }
  for (const auto& [producer, own] : ranges) {
    const unsigned from = rank_of(topology(), producer);
    transfers_.push_back({rank_.fetch(own, from), work.task});
    post_.send(from, Kind::Fetch, std::as_bytes(std::span(own)));
  }
  if (ranges.empty()) {
    fetched_.push_back(work.task);
  } else {
    missing_[work.task] = static_cast<unsigned>(ranges.size());
  }
}

void WorkerRank::hear_all_transfers() {
  std::erase_if(transfers_, [this](const Transfer& transfer) {
    if (!rank_.is_over(transfer.request)) return false;
    const auto missing = missing_.find(transfer.task);
    if (--missing->second == 0) {
      fetched_.push_back(transfer.task);
      missing_.erase(missing);
    }
    return true;
  });
}

// ---- the helper ---------------------------------------------------------------------------------

base::Result<bool> WorkerRank::start_helper() {
  auto helper = plat::Thread::start({.name = "myr-mpi"}, [this] { help(); });
  if (!helper) return helper.error();
  helper_.emplace(std::move(*helper));
  return true;
}

void WorkerRank::stop_helper() {
  helper_stops_.store(true, sync::relaxed);  // it looks again soon
  helper_.reset();
}

// Never spins: the task that computes has the processor.
void WorkerRank::help() {
  transport::mpi::Patience patience(false);
  while (!helper_stops_.load(sync::relaxed)) {
    if (computes_.load(sync::relaxed)) {
      const std::scoped_lock lock(lock_);
      if (serve()) patience.reset();
    }
    patience.pause();
  }
}

AgentUsage WorkerRank::usage() const {
  AgentUsage usage;
  usage.tasks = tasks_run();
  usage.messages = post_.message_count();
  usage.message_bytes = post_.message_bytes();
  usage.fetched_bytes = fetched_bytes_;
  return usage;
}

}  // namespace myr::cluster::mpi
