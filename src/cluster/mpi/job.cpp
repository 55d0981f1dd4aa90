// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/job.hpp"

#include <cstdio>
#include <deque>
#include <utility>
#include <variant>

#include "base/contract.hpp"
#include "base/format.hpp"
#include "cluster/heap_store.hpp"
#include "cluster/mpi/faults.hpp"
#include "cluster/mpi/rank_machine.hpp"
#include "cluster/mpi/rank_node.hpp"
#include "cluster/mpi/scheduler_rank.hpp"
#include "mem/heap.hpp"

namespace myr::cluster::mpi {

namespace {

// On rank 0: main's worker.
class MainMachine final : public RankMachine {
 public:
  MainMachine(Rank& rank, const Modules& modules, sched::Topology topology, const Options& options,
              std::unique_ptr<graph::RegionSpace> space)
      : RankMachine(rank, std::move(topology), modules, options),
        space_(std::move(space)),
        worker_(rank, topology_, modules, options_, *space_) {}

  void find_changes_in(Variables& variables) { worker_.find_changes_in(variables); }
  // The others know of the start.
  [[nodiscard]] base::Result<bool> start() {
    collection_.started();
    drain(rank_, options_.silence_ns, [](const Post::Notice&) {});
    return worker_.start_main();
  }

  void stop() override {
    stop_clock();
    worker_.stop_main();
    const Bytes stop = make_bytes(proto::Stop{});
    for (unsigned other = 1; other < rank_.count(); ++other) rank_.send(other, stop);
    collection_.stopped();
    collect(worker_.usage());
  }

 private:
  const std::unique_ptr<graph::RegionSpace> space_;
  RankNode worker_;
};

}  // namespace

base::Result<proto::PageRun> new_heap() {
  if (mem::Heap::exists()) mem::Heap::instance().destroy();  // of the machine before
  if (auto heap = mem::Heap::create(); !heap) return heap.error();
  const proto::PageRun memory = HeapStore::take_memory(kSharedPages);
  // All of it: objects lie at the same addresses in each process.
  if (!HeapStore::make_usable(memory)) {
    return base::Error{"no memory: the system refuses the heap's addresses"};
  }
  return memory;
}

base::Result<std::unique_ptr<Job>> Job::join(const transport::mpi::Launched& launched) {
  std::unique_ptr<Job> job(new Job(nullptr));
  auto rank = Rank::join(launched.mpi);
  if (!rank) return rank.error();
  job->rank_ = std::move(*rank);
  return job;
}

// Nobody but rank 0 goes on, or ends, before rank 0 has heard of all and found nothing wrong.
base::Result<bool> Job::greet(Greeting own) {
  own.program = modules_.identity();
  set_processors(own);
  if (rank_->self() != 0) {
    rank_->send(0, make_bytes(std::move(own)));
    MYR_ASSERT(std::holds_alternative<proto::Welcome>(await_notice().frame));
    return true;
  }
  std::vector<Greeting> ranks(rank_->count());
  ranks.front() = std::move(own);
  transport::mpi::Patience patience(rank_->spins());
  for (unsigned missing = rank_->count() - 1; missing != 0;) {
    auto received = rank_->receive();
    if (!received) {
      patience.pause();
      continue;
    }
    Post::Notice notice = Post::read(std::move(*received));
    ranks[notice.from] = std::get<proto::Hello>(std::move(notice.frame));
    missing -= 1;
  }
  if (const auto mistake = mistake_in(ranks)) {
    rank_->end_with_job();
    return base::Error{*mistake};
  }
  if (const auto remark = remark_on(ranks)) base::print(stderr, "myrmidon: {}\n", *remark);
  for (unsigned other = 1; other < rank_->count(); ++other) {
    rank_->send(other, make_bytes(proto::Welcome{}));
  }
  return true;
}

base::Result<std::unique_ptr<Machine>> Job::start(sched::Topology topology,
                                                  const Options& options) {
  if (auto heap = new_heap(); !heap) return heap.error();
  auto space = graph::RegionSpace::create_for_agents(0, 0);
  if (!space) return space.error();
  const Bytes start = make_bytes(wishes_of(options));
  for (unsigned other = 1; other < rank_->count(); ++other) rank_->send(other, start);
  auto machine = std::make_unique<MainMachine>(*rank_, modules_, std::move(topology), options,
                                               std::move(*space));
  if (variables_) machine->find_changes_in(*variables_);
  if (auto started = machine->start(); !started) return started.error();
  return std::unique_ptr<Machine>(std::move(machine));
}

void Job::end() {
  if (rank_->self() != 0) {
    static_cast<void>(await_notice());
  } else {
    const Bytes leave = make_bytes(proto::Leave{});
    for (unsigned other = 1; other < rank_->count(); ++other) rank_->send(other, leave);
  }
  rank_->leave();
}

Post::Notice Job::await_notice() {
  std::deque<transport::mpi::Received> early;  // from ranks that have heard more
  transport::mpi::Patience patience(rank_->spins());
  for (;;) {
    auto received = rank_->receive();
    if (!received) {
      patience.pause();
    } else if (received->from != 0) {
      early.push_back(std::move(*received));
    } else {
      rank_->give_back(std::move(early));
      return Post::read(std::move(*received));
    }
  }
}

base::Result<bool> Job::serve(const sched::Topology& topology, const Options& options) {
  for (;;) {
    const Post::Notice notice = await_notice();
    const auto* const start = std::get_if<proto::Start>(&notice.frame);
    if (start == nullptr) break;
    if (auto served = serve_once(topology, options, *start); !served) return served;
  }
  rank_->settle();
  rank_->leave();
  return true;
}

base::Result<bool> Job::serve_once(const sched::Topology& topology, const Options& options,
                                   const proto::Start& wishes) {
  const auto memory = new_heap();
  if (!memory) return memory.error();
  const OwnRecords records(options, topology, wishes);
  if (wishes.any()) tell_time(*rank_, options.silence_ns);
  drain(*rank_, options.silence_ns, [](const Post::Notice&) {});
  AgentUsage usage;
  const AgentId self = agent_at(topology, rank_->self());
  const auto schedulers = static_cast<unsigned>(topology.schedulers().size());
  const unsigned parts = topology.is_worker(self) ? 0 : schedulers;
  auto space = graph::RegionSpace::create_for_agents(topology.scheduler_number(self), parts);
  if (!space) return space.error();
  if (topology.is_worker(self)) {
    RankNode worker(*rank_, topology, modules_, records.options(), **space);
    if (auto ran = worker.run(); !ran) return ran;
    usage = worker.usage();
  } else {
    SchedulerRank scheduler(*rank_, topology, modules_, records.options(), **space, *memory);
    scheduler.run();
    usage = scheduler.usage();
  }
  if (wishes.any()) tell_time(*rank_, options.silence_ns);
  records.send(*rank_, topology, modules_, usage);
  drain(*rank_, options.silence_ns, [](const Post::Notice&) {});
  return true;
}

}  // namespace myr::cluster::mpi
