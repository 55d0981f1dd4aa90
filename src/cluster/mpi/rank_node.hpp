// SPDX-License-Identifier: Apache-2.0
//
// RankNode: a worker of a job: an engine of one thread or more. Tasks that are spread come to it as
// bytes, and their data is brought before they begin; what they spawn and keep is the engine's own.
//
// Threads: any of the node's speaks MPI, one at a time, under the lock: those that send, or look
// for something to do, and one more that does nothing else, so that others are answered while all
// compute. It never waits for anything but the lock.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cluster/agent_log.hpp"
#include "cluster/machine.hpp"
#include "cluster/mpi/failures.hpp"
#include "cluster/mpi/kept_regions.hpp"
#include "cluster/mpi/known_memory.hpp"
#include "cluster/mpi/made_regions.hpp"
#include "cluster/mpi/modules.hpp"
#include "cluster/mpi/parcel.hpp"
#include "cluster/mpi/post.hpp"
#include "cluster/mpi/spares.hpp"
#include "cluster/mpi/stayed.hpp"
#include "cluster/mpi/transfers.hpp"
#include "cluster/mpi/variables.hpp"
#include "cluster/mpi/vigil.hpp"
#include "cluster/node_context.hpp"
#include "engine/engine.hpp"
#include "plat/thread.hpp"
#include "sync/atomic.hpp"

namespace myr::cluster::mpi {

class RankContext;

class RankNode final : private sched::Data, public ThreadedNode {
 public:
  RankNode(Rank& rank, const sched::Topology& topology, const Modules& modules,
           const Options& options, graph::RegionSpace& space);
  ~RankNode();

  // On rank 0: the caller is main. Error: the system refuses a stack or a thread.
  [[nodiscard]] base::Result<bool> start_main();
  // Main is over; so is all that ran here.
  void stop_main();
  // On others: until the machine stops.
  [[nodiscard]] base::Result<bool> run();
  // Once it has stopped.
  [[nodiscard]] AgentUsage usage() const;

  // ---- NodeServices
  [[nodiscard]] bool is_work_wanted_below(AgentId scheduler) const override;

  // ---- for its contexts
  [[nodiscard]] const Modules& modules() const noexcept { return modules_; }
  [[nodiscard]] graph::RegionSpace& space() noexcept { return space_; }
  // For tests of what travels: main spreads all, and others half of the time.
  [[nodiscard]] bool is_tested() const noexcept { return options_.poisons; }
  // What messages carry of a task that is about to be spread. False: it has become bytes, and its
  // memory is not wanted any more. `stays`: it may not, and why.
  [[nodiscard]] bool pack_task(const SpreadTask& parent, const TaskParts& task, graph::Task& itself,
                               std::optional<Stayed::Why> stays, proto::Parcel& parcel);
  // The same for the parts of a loop. False: they cannot leave.
  [[nodiscard]] bool pack_loop(const SpreadTask& parent, const TaskParts& part,
                               proto::Parcel& parcel);
  // A task that runs here has lent memory to a child. If the task was lent some itself, that may be
  // part of it.
  void note_lent_on(proto::TaskId task);
  // A task that runs here and was spawned there has made regions that others must not find.
  void note_owners(proto::TaskId task, const myr_site* site);
  [[nodiscard]] KnownMemory& known() noexcept { return known_; }
  // The running task knows more of the heap from now on: see KnownMemory.
  void learn_regions(std::span<const std::uint64_t> regions) {
    const std::scoped_lock lock(lock_);
    known_.learn_regions(regions);
  }
  [[nodiscard]] bool learn_slabs(std::span<const std::byte> slabs, KnownMemory::Stamp told,
                                 KnownMemory::Stamp stamp) {
    const std::scoped_lock lock(lock_);
    return known_.learn_slabs(slabs, told, stamp);
  }
  // Main has waited for all: others may use what its tasks have made.
  void let_go_of_main();
  // Objects that `holder` was given before it wants them: all that are wanted, or none and false.
  // Then `more` is how many to ask for beside these; they are kept.
  [[nodiscard]] bool take_spares(proto::TaskId holder, const Spares::Kind& kind,
                                 std::span<void*> objects, std::size_t& more);
  void keep_spares(proto::TaskId holder, const Spares::Kind& kind, std::span<void* const> objects);
  // Before a region around some may be freed.
  void give_back_spares(proto::TaskId holder);
  [[nodiscard]] MadeRegions& made_regions() noexcept { return made_regions_; }
  [[nodiscard]] KeptRegions& kept_regions() noexcept { return kept_regions_; }
  // Others may use what the task's local ones have made. None of these is alive.
  void hand_over(proto::TaskId holder);
  // An object of another process is gone.
  void object_freed(const void* object);
  // All processes are to know; returns when they do.
  void publish(RankContext& context, PlaceInModule place, std::span<const std::byte> value);
  // For tests: finds out from now on which variables main has changed.
  void find_changes_in(Variables& variables) { variables_ = &variables; }
  // Main is about to spawn: the others are to watch what it has changed.
  void tell_changes(RankContext& context);
  // An event of another process has happened. False: there is no such process.
  [[nodiscard]] bool tell_event(std::uint64_t event, base::Exception failure, const myr_site* site);
  // All processes are to know that the region is cancelled; returns when they do.
  void cancel(RankContext& context, myr_region region);

 private:
  // A task that has come and has not ended.
  struct Guest {
    proto::Work work;  // once it has begun
    Unpacked parcel;
    graph::Task* stand_in = nullptr;  // stands for its parent, and takes its failure
    bool lends_on = false;            // children use what it was lent, too
    bool is_dropped = false;          // its body did not run
    // Where it was spawned, if it has made regions in which objects hold addresses of this process.
    const myr_site* owners_made_by = nullptr;
    proto::SerialTime time;       // of its end
    proto::SerialTime failed_at;  // when the serial program would throw what it has not taken
    proto::FailurePtr failure;
    std::uint64_t begin_ticks = 0;
    std::uint64_t ticks = 0;  // from there to its end

    // In C, a failure that has come with a wait comes before those of children spread since then.
    void end_at(const proto::SerialTime& now, bool has_failed) {
      time = now;
      failed_at = has_failed ? work.time.inside() : now;
    }
  };

  // ---- Outside
  [[nodiscard]] unsigned first_track() const override;
  void adopt_thread(engine::Worker& worker) override;
  [[nodiscard]] graph::Task* take(engine::Worker& worker) override;
  [[nodiscard]] bool knows_objects() const override { return false; }
  [[nodiscard]] bool waits_alone() const override { return options_.threads == 1; }
  [[nodiscard]] graph::Task* wait_alone(engine::Worker& worker) override;
  [[nodiscard]] Ended body_ended(engine::Worker& worker, graph::Task& task,
                                 const void* frame) override;
  void tell_ended(engine::Worker& worker, std::uint64_t ended) override;

  [[nodiscard]] base::Result<bool> start_engine(bool has_main);
  void serve_until(const sync::Atomic<bool>& stops);
  void take_messages_until(engine::Worker& worker, const std::function<bool()>& done) override;
  [[nodiscard]] transport::mpi::Patience::Who waiter() const;

  // ---- under the lock
  void post(AgentId to, proto::Body body) override;
  [[nodiscard]] bool is_backed_up() const override { return rank_.is_backed_up(); }
  bool serve();  // false: nothing has come
  // The same, for what others are to know: does a task run here?
  void look(bool computes, transport::mpi::Patience& patience);
  [[nodiscard]] graph::Task* take_arrival(engine::Worker& worker);
  // ---- Notices, from that rank
  void hear(const proto::Fetch& wanted, unsigned from) {
    transfers_.give(wanted, agent_at(topology_, from));
  }
  void hear(const proto::Return& written, unsigned from);
  void hear(const proto::Taken& taken, unsigned) { end_guest(taken.task); }
  void hear(const proto::Share& variable, unsigned from);
  void hear(const proto::Changed& changed, unsigned from);
  void hear(const proto::Cancel& cancelled, unsigned from);
  void hear(const proto::Shared& answer, unsigned);
  void hear(const proto::Happened& event, unsigned);
  void hear(const proto::Alive&, unsigned from) { vigil_.heard(from); }
  void hear(const proto::Sample& sample, unsigned);
  void hear(const proto::Wanting& wanting, unsigned from);
  void hear(const proto::Stop&, unsigned) { is_stopping_.store(true, sync::relaxed); }
  // ---- Data, Hands
  [[nodiscard]] bool fetch(Ticket ticket, const proto::Pieces& pieces,
                           const proto::Work* task) override;
  [[nodiscard]] bool give_up(const proto::Work& task) override;
  void task_is_here() override { engine_->sleepers().post(); }
  void end_wait(proto::TaskId task, proto::FailurePtr failure) override;
  using ThreadedNode::take_answer;
  void take_answer(proto::Lent answer) override;
  void take_answer(proto::Described answer) override;

  using Hands::give_back;
  [[nodiscard]] graph::Task& make_task(engine::Worker& worker, Guest& guest);
  [[nodiscard]] graph::Task& unpack_task(engine::Worker& worker, const Guest& guest);
  [[nodiscard]] Sender sender_for(const SpreadTask& parent);
  void note_requests();
  void give_back(Guest& guest);
  void end_guest(proto::TaskId task);
  void free_spares(proto::TaskId holder);
  void hand_over_made(proto::TaskId holder);
  void check_left(proto::TaskId holder) const;
  void post_regions(AgentId owner, proto::HandOver message);
  void let_use_variables(const Guest& guest, bool may_use) const;
  // What all workers are to know. Returns when they do.
  template <class Notice>
  void tell_workers(RankContext& context, Notice notice);
  void tell_wanting(bool wants);

  Rank& rank_;
  const Modules& modules_;
  const Options options_;
  graph::RegionSpace& space_;
  graph::Recyclers recyclers_;
  SpreadTask abroad_;                                   // stands for parents in other processes
  std::vector<std::unique_ptr<RankContext>> contexts_;  // by worker
  std::unique_ptr<engine::Engine> engine_;
  MadeRegions made_regions_;
  KeptRegions kept_regions_;
  Variables* variables_ = nullptr;
  std::optional<plat::Thread> helper_;
  sync::Atomic<bool> helper_stops_{false};

  // ---- under the lock
  Post post_;
  Vigil vigil_;
  Transfers transfers_;
  KnownMemory known_;
  Failures failures_;
  std::unordered_map<proto::TaskId, Guest> guests_;
  std::unordered_map<proto::TaskId, Spares> spares_;
  std::uint64_t held_ns_ = 0;        // how long requests have waited since one took a task along
  std::uint64_t held_since_ns_ = 0;  // the last look at them; 0: there were none
  Stayed stayed_;
  std::uint64_t sampled_ = 0;        // of main's tasks, asked for
  bool is_wanting_ = true;           // what the others were told last
  std::uint64_t idle_since_ns_ = 0;  // 0: it is not idle
  sync::Atomic<bool> is_stopping_{false};

  // By agent: has it nothing to do? Written under the lock, read without it: hints.
  std::vector<sync::Atomic<bool>> wanting_;
};

}  // namespace myr::cluster::mpi
