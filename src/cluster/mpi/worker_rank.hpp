// SPDX-License-Identifier: Apache-2.0
//
// WorkerRank: a worker of a job: this process's part in running tasks. Each task is on a strand;
// what the worker does between tasks, on the strands' home. While a task computes, a helper thread
// takes messages and sends others the data that they ask for.
//
// Threads: the worker's, but serve() and what it calls: the helper's, too, under the lock.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cluster/agent_context.hpp"
#include "cluster/agent_log.hpp"
#include "cluster/machine.hpp"
#include "cluster/mpi/copies.hpp"
#include "cluster/mpi/modules.hpp"
#include "cluster/mpi/parcel.hpp"
#include "cluster/mpi/post.hpp"
#include "cluster/strands.hpp"
#include "plat/fiber.hpp"
#include "plat/thread.hpp"
#include "sched/worker.hpp"
#include "sync/atomic.hpp"

namespace myr::cluster::mpi {

class WorkerRank final : public AgentContext, private sched::Hands {
 public:
  WorkerRank(Rank& rank, const sched::Topology& topology, const Modules& modules,
             const Options& options);
  ~WorkerRank();

  // On rank 0: the caller is main, on its own stack. Error: the system refuses a stack or a thread.
  [[nodiscard]] base::Result<bool> start_main();
  // Main is over; so is all that ran here.
  void stop_main();
  // On others: until the machine stops.
  [[nodiscard]] base::Result<bool> run();

  // Once it has stopped.
  [[nodiscard]] AgentUsage usage() const;

  // ---- ThreadContext, where it differs from other machines of agents
  void cancel_region(myr_region region, const myr_site* site) override;
  void wait_all() override;
  void allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                const char* call, const myr_site* site) override;
  void share(const void* first, std::size_t bytes, const myr_site* site) override;

 private:
  // ---- AgentContext
  void send(AgentId to, proto::Body body) override;
  void send_spawn(proto::Spawn spawn) override;
  void await_answer() override;
  void await_wait_over() override;
  void body_returned() override;
  void ended(proto::TaskId task, std::uint32_t accesses) override;
  [[nodiscard]] plat::StackBounds stack() const override;
  void hand_over(UserTaskPtr task, proto::Task& message) override;
  [[nodiscard]] std::uint64_t program_of_call(const myr_site* site, Call call) const override;
  [[nodiscard]] bool knows_objects() const noexcept override { return false; }
  [[nodiscard]] std::size_t object_bytes(void* object) const override;

  // ---- Hands
  void fetch(const proto::Work& work) override;
  void begin(const proto::Work& work) override { steps_.push_back({work.task, work}); }
  void go_on(proto::TaskId task) override { steps_.push_back({task, {}}); }
  void take_answer(proto::RegionMade made) override;
  void take_answer(proto::Allocated allocated) override;

  // What the worker's thread is to do, when it is home.
  struct Step {
    proto::TaskId task;
    std::optional<proto::Work> work;  // to begin with it; none: to go on
  };
  // Data on its way here.
  struct Arriving {
    myr_mpi_request request;
    proto::TaskId task;    // that waits for it
    proto::Pieces pieces;  // none: memory that it is lent
  };
  // Data on its way to somebody.
  struct Leaving {
    myr_mpi_request request;
    std::vector<Range> given_up;  // of which this process has no valid copy then
  };

  [[nodiscard]] base::Result<bool> start_helper();
  void stop_helper();
  void help();
  static void run_home(void* self);
  void stay_home();
  void take(const Step& step);
  void run_task(const proto::Work& work);
  void give_back(proto::TaskId task, const Unpacked& guest);
  void put_bytes(const Post::Notice& notice);
  UserTask& suspend();
  // Takes what has come. False: nothing.
  bool serve();
  void hear(const Post::Notice& notice);
  void fetch_loans(proto::TaskId task, const Unpacked& guest);
  void ask(AgentId producer, Arriving arriving, std::span<const Range> here,
           std::span<const std::byte> asked);
  void give(const Post::Notice& notice);
  void settle_transfers();
  void one_is_here(proto::TaskId task);
  void note_arrival(const proto::Piece& piece);
  [[nodiscard]] bool is_here(const proto::Piece& piece) const;

  Rank& rank_;
  const Modules& modules_;
  const bool poisons_;
  UserTaskPtr main_;                     // of rank 0
  UserTaskPtr abroad_;                   // stands for the parents of tasks from other processes
  std::unique_ptr<plat::Fiber> thread_;  // the stack of the worker's thread
  std::unique_ptr<plat::Fiber> home_;    // of rank 0, where main has that
  Strands strands_;
  transport::mpi::Patience patience_;
  AgentLog log_;               // of the worker's thread
  proto::TaskId current_ = 0;  // on whose strand the thread is

  std::mutex lock_;  // guards what follows
  Post post_;
  sched::Worker worker_;
  std::deque<Step> steps_;
  std::unordered_map<proto::TaskId, Unpacked>
      guests_;              // tasks that came as bytes and have not ended
  unsigned not_taken_ = 0;  // Return and Share messages of the running task
  std::vector<Arriving> arriving_;
  std::vector<Leaving> leaving_;
  Copies copies_;
  std::unordered_map<proto::TaskId, unsigned> missing_;            // transfers of a task
  std::vector<proto::TaskId> fetched_;                             // of which none is missing
  std::unordered_map<proto::TaskId, proto::FailurePtr> failures_;  // that came with ends of waits
  std::unordered_map<std::uint64_t, std::uint64_t> object_bytes_;  // of those waited for last
  bool is_stopping_ = false;
  std::uint64_t fetched_bytes_ = 0;
  std::uint64_t kept_ = 0;  // tasks that only this process could run

  sync::Atomic<bool> computes_{false};  // the worker's thread is in a task: a hint for the helper
  sync::Atomic<bool> helper_stops_{false};
  std::optional<plat::Thread> helper_;
};

}  // namespace myr::cluster::mpi
