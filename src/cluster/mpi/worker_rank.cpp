// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/worker_rank.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/misuse.hpp"
#include "cluster/mpi/failures.hpp"
#include "plat/clock.hpp"
#include "sync/cancelled_regions.hpp"

namespace myr::cluster::mpi {

using plat::Fiber;

namespace {

constexpr unsigned kPrefetch = 1;  // tasks whose data is fetched while another one runs

// What a fetch asks for.
struct Asked {
  Range range;
  std::uint64_t is_written;  // by who has asked: 1, or 0
};

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

WorkerRank::WorkerRank(Rank& rank, const sched::Topology& topology, const Modules& modules,
                       const Options& options)
    : AgentContext(topology, agent_at(topology, rank.self())),
      rank_(rank),
      modules_(modules),
      poisons_(options.poisons),
      abroad_(UserTask::make(nullptr, 0, 0)),
      thread_(Fiber::of_this_thread()),
      strands_([this](AgentId, const proto::Work& work) { run_task(work); }),
      patience_(rank.spins()),
      log_(nullptr, trace::State::Idle, plat::ticks()),
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
  log_.change(trace::State::Task, plat::ticks());
  computes_.store(true, sync::relaxed);
  return start_helper();
}

void WorkerRank::stop_main() {
  end_main();
  log_.change(trace::State::Idle, plat::ticks());
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
  log_.change(trace::State::Runtime, plat::ticks());
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
      log_.change(trace::State::Idle, plat::ticks());
      patience_.pause();
      log_.change(trace::State::Runtime, plat::ticks());
    }
  }
}

void WorkerRank::take(const Step& step) {
  current_ = step.task;
  log_.change(trace::State::Task, plat::ticks());
  computes_.store(true, sync::relaxed);
  if (step.work) {
    strands_.begin(self(), *step.work, site_in(step.work->program, modules_));
  } else {
    strands_.go_on(step.task);
  }
  computes_.store(false, sync::relaxed);
  log_.change(trace::State::Runtime, plat::ticks());
}

void WorkerRank::run_task(const proto::Work& work) {
  UserTaskPtr task;
  {
    const std::scoped_lock lock(lock_);
    const auto guest = guests_.find(work.task);
    task = guest == guests_.end() ? UserTaskPtr(address_in(work.parcel->bytes))
                                  : std::move(guest->second.task);
  }
  task->clock = proto::SerialClock(work.time);
  AgentContext::run(std::move(task), work.task);
}

// What the task has written to memory that it was lent. Who uses that next asks its lender, who
// has it when this returns.
void WorkerRank::give_back(proto::TaskId task, const Unpacked& guest) {
  Bytes content;
  for (const Loan& loan : guest.loans) {
    if (!loan.is_written) continue;
    const Range range{loan.address, loan.bytes};
    const auto head = std::as_bytes(std::span(&range, 1));
    const auto* const first = reinterpret_cast<const std::byte*>(loan.here);
    content.insert(content.end(), head.begin(), head.end());
    content.insert(content.end(), first, first + loan.bytes);
  }
  if (content.empty()) return;
  {
    const std::scoped_lock lock(lock_);
    not_taken_ = 1;
    post_.send(rank_of(topology(), guest.spawner), Kind::Return, content);
  }
  strands_.leave(task);
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
  const std::span<const myr_access> accesses = task->arguments();
  running().gives_regions |=
      std::any_of(accesses.begin(), accesses.end(),
                  [](const myr_access& access) { return (access.flags & MYR_REGION) != 0; });
  if (!message.unmanaged.empty()) {
    const std::scoped_lock lock(lock_);
    if (const auto guest = guests_.find(this->task().id); guest != guests_.end()) {
      guest->second.lends_on = !guest->second.loans.empty();
    }
  }
  if (!task->stays) {
    if (auto bytes = pack(*task, modules_, self())) {
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

// What it was lent goes back when those to whom it has lent some of it are done.
void WorkerRank::body_returned() {
  bool lends_on = false;
  {
    const std::scoped_lock lock(lock_);
    const auto guest = guests_.find(task().id);
    lends_on = guest != guests_.end() && guest->second.lends_on;
  }
  if (lends_on) wait_all();
}

// Failures of tasks whose parents are in other processes have gone abroad.
void WorkerRank::ended(proto::TaskId task, std::uint32_t) {
  std::unordered_map<proto::TaskId, Unpacked>::node_type guest;
  {
    const std::scoped_lock lock(lock_);
    guest = guests_.extract(task);
  }
  if (!guest.empty()) give_back(task, guest.mapped());
  proto::BodyEnded message{.task = task};
  if (const auto failure = abroad_->take_failure()) {
    message.failure = to_message(*failure, modules_);
  }
  send(proto::home_of(task), std::move(message));
  const std::scoped_lock lock(lock_);
  worker_.ended(task);
}

void WorkerRank::wait_all() {
  AgentContext::wait_all();
  running().gives_regions = false;
}

// A child that uses a region is brought all of it as it was when that was granted, perhaps to this
// process: what is made there meanwhile would be overwritten.
void WorkerRank::allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                          const char* call, const myr_site* site) {
  if (running().gives_regions) {
    const myr_access whole = myr_inout_region(region);
    wait(&whole, 1, site);
  }
  AgentContext::allocate(bytes, region, count, objects, call, site);
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

// Returns when all have it: who is sent a task by this one then knows the value.
void WorkerRank::share(const void* first, std::size_t bytes, const myr_site* site) {
  const Range range{modules_.place_of(first), bytes};
  if (range.address == 0) {
    base::misuse(
        site,
        "myr_share: this is no variable of the program with static storage: no other process "
        "has it. Pass a copy to the tasks that need it, or put it into a region");
  }
  if (topology().workers().size() == 1 || bytes == 0) return;
  const auto head = std::as_bytes(std::span(&range, 1));
  Bytes content(head.begin(), head.end());
  const auto* const begin = static_cast<const std::byte*>(first);
  content.insert(content.end(), begin, begin + bytes);
  {
    const std::scoped_lock lock(lock_);
    for (const AgentId worker : topology().workers()) {
      if (worker == self()) continue;
      not_taken_ += 1;
      post_.send(rank_of(topology(), worker), Kind::Share, content);
    }
  }
  suspend();
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
  settle_transfers();
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
    give(notice);
  } else if (notice.kind == Kind::Cancel) {
    myr_region region = 0;
    std::memcpy(&region, content.data(), sizeof region);
    sync::CancelledRegions::add(region);
  } else if (notice.kind == Kind::Return || notice.kind == Kind::Share) {
    put_bytes(notice);
    post_.send(notice.from, Kind::Taken);
  } else if (notice.kind == Kind::Taken) {
    if (--not_taken_ == 0) steps_.push_back({current_, {}});
  } else {
    MYR_ASSERT(notice.kind == Kind::Stop);
    is_stopping_ = true;
  }
}

// Ranges, each with its bytes behind it. Of Share: by their places in the program.
void WorkerRank::put_bytes(const Post::Notice& notice) {
  std::span<const std::byte> left = notice.content();
  while (!left.empty()) {
    Range range{};
    std::memcpy(&range, left.data(), sizeof range);
    left = left.subspan(sizeof range);
    void* const first = notice.kind == Kind::Share
                            ? const_cast<void*>(modules_.address_of(range.address))
                            : reinterpret_cast<void*>(range.address);
    std::memcpy(first, left.data(), range.bytes);
    left = left.subspan(range.bytes);
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
  if (piece.producer == self() || piece.producer == proto::kNoAgent || !piece.is_read) return true;
  return copies_.have({piece.address, piece.bytes}, piece.version);
}

// One transfer from each worker that has some of it. What the task writes is here in no version
// that anybody knows.
void WorkerRank::fetch(const proto::Work& work) {
  missing_[work.task] = 1;                        // this
  const bool has_begun = work.parcel == nullptr;  // it waits
  if (!has_begun && work.parcel->bound_to != self()) {
    const Unpacked& guest =
        guests_.emplace(work.task, unpack(work.parcel->bytes, modules_, *abroad_, self()))
            .first->second;
    fetch_loans(work.task, guest);
  }
  std::map<AgentId, Arriving> arriving;
  for (const proto::Piece& piece : work.pieces) {
    if (is_here(piece)) {
      note_arrival(piece);
    } else {
      arriving[piece.producer].pieces.push_back(piece);
      fetched_bytes_ += piece.bytes;
    }
  }
  for (auto& [producer, from] : arriving) {
    std::vector<Asked> asked;
    std::vector<Range> ranges;
    for (const proto::Piece& piece : from.pieces) {
      ranges.push_back({piece.address, piece.bytes});
      asked.push_back({ranges.back(), piece.mode == proto::Mode::Write ? 1U : 0U});
    }
    from.task = work.task;
    ask(producer, std::move(from), ranges, std::as_bytes(std::span(asked)));
  }
  one_is_here(work.task);
}

void WorkerRank::fetch_loans(proto::TaskId task, const Unpacked& guest) {
  std::vector<Asked> asked;
  std::vector<Range> here;
  for (const Loan& loan : guest.loans) {
    if (!loan.is_read) continue;
    asked.push_back({{loan.address, loan.bytes}, 0});
    here.push_back({loan.here, loan.bytes});
    fetched_bytes_ += loan.bytes;
  }
  if (!asked.empty()) {
    ask(guest.spawner, {.task = task}, here, std::as_bytes(std::span(asked)));
  }
}

void WorkerRank::ask(AgentId producer, Arriving arriving, std::span<const Range> here,
                     std::span<const std::byte> asked) {
  const unsigned from = rank_of(topology(), producer);
  arriving.request = rank_.fetch(here, from);
  missing_[arriving.task] += 1;
  arriving_.push_back(std::move(arriving));
  post_.send(from, Kind::Fetch, asked);
}

// Of what the task needs.
void WorkerRank::one_is_here(proto::TaskId task) {
  const auto missing = missing_.find(task);
  if (--missing->second != 0) return;
  missing_.erase(missing);
  fetched_.push_back(task);
}

void WorkerRank::note_arrival(const proto::Piece& piece) {
  const Range range{piece.address, piece.bytes};
  if (piece.mode == proto::Mode::Write || piece.producer == self()) {
    copies_.forget(range);
  } else if (piece.is_read && piece.producer != proto::kNoAgent) {
    copies_.add(range, piece.version);
  }
}

// Another worker asks for what a task here has written.
void WorkerRank::give(const Post::Notice& notice) {
  const std::span<const std::byte> content = notice.content();
  std::vector<Asked> asked(content.size() / sizeof(Asked));
  std::memcpy(asked.data(), content.data(), content.size());
  std::vector<Range> ranges;
  Leaving& leaving = leaving_.emplace_back();
  for (const Asked& one : asked) {
    ranges.push_back(one.range);
    if (poisons_ && one.is_written != 0) leaving.given_up.push_back(one.range);
  }
  leaving.request = rank_.give(ranges, notice.from);
}

void WorkerRank::settle_transfers() {
  std::erase_if(arriving_, [this](const Arriving& arriving) {
    if (!rank_.is_over(arriving.request)) return false;
    for (const proto::Piece& piece : arriving.pieces) note_arrival(piece);
    one_is_here(arriving.task);
    return true;
  });
  std::erase_if(leaving_, [this](const Leaving& leaving) {
    if (!rank_.is_over(leaving.request)) return false;
    constexpr int kPoison = 0xa5;
    for (const Range& range : leaving.given_up) {
      std::memset(reinterpret_cast<void*>(range.address), kPoison, range.bytes);
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
  AgentUsage usage = log_.usage();
  usage.tasks = tasks_run();
  usage.messages = post_.message_count();
  usage.message_bytes = post_.message_bytes();
  usage.fetched_bytes = fetched_bytes_;
  usage.kept_tasks = kept_;
  return usage;
}

}  // namespace myr::cluster::mpi
