// SPDX-License-Identifier: Apache-2.0
//
// One worker: spawns, runs and ends tasks, and looks for work when it has none.
//
// A task's life: draft() - submit() [linked behind its predecessors] - ready [in a ring] - run() -
// end(): its successors are released, its memory goes home, its parent's count goes down. What
// crosses threads is batched: tasks are stolen several at a time, finished children are counted off
// and memory is sent home in groups.
//
// Waiting. A task that waits keeps its stack. Its worker runs the task's children on it, and for
// anything else goes on with another stack; it comes back when the one that ended the wait has said
// so. A task stays with its worker, for it may have used thread-locals or hold a lock. This cannot
// deadlock: what a task waits for, and what lies above it on a stack, began after it or has not
// begun; so what began last can end, or waits for something ready, which any worker finds.
//
// Threads: everything by the worker's own thread but thief_take(), thief_take_at(), and what
// resume(), place() and take_beggar() do to others.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/probes.hpp"
#include "base/shared_word.hpp"
#include "base/thread_context.hpp"
#include "base/zeroed.hpp"
#include "engine/error_watch.hpp"
#include "engine/line_times.hpp"
#include "engine/own_steps.hpp"
#include "engine/progress.hpp"
#include "engine/small_functions.hpp"
#include "engine/stacks.hpp"
#include "engine/stats.hpp"
#include "graph/linker.hpp"
#include "graph/recycler.hpp"
#include "graph/task.hpp"
#include "mem/heap.hpp"
#include "plat/clock.hpp"
#include "plat/jitter.hpp"
#include "plat/stack_guard.hpp"
#include "sync/event_count.hpp"
#include "sync/return_stack.hpp"
#include "sync/work_ring.hpp"
#include "trace/recording.hpp"

namespace myr::engine {

class Arena;
class Engine;
class Outside;

// What the running task waits for.
struct Wait {
  graph::Interior& family;
  // Stands in the graph for the accesses that are to be granted; nullptr: all children are to end.
  graph::Task* waiter;

  [[nodiscard]] bool is_over() const noexcept;
  // Lets the thread that ends the wait resume the task. False: the wait is over already, and none
  // will.
  [[nodiscard]] bool leave(graph::Suspended& suspended) noexcept;
};

class Worker final : public base::ThreadContext {
 public:
  Worker(Engine& engine, std::uint16_t index, graph::Recycler& recycler);

  // The calling thread's worker; nullptr: its context is no worker, or something else is to see its
  // calls.
  [[nodiscard]] static Worker* current() noexcept { return current_worker_; }
  // Does current() tell? To be said before a machine starts.
  static void set_called_directly(bool are_called) noexcept { is_called_directly_ = are_called; }
  static void forget_thread() noexcept {
    set_current(nullptr);
    current_worker_ = nullptr;
  }

  [[nodiscard]] std::uint16_t index() const noexcept { return index_; }
  [[nodiscard]] Engine& engine() noexcept { return engine_; }
  [[nodiscard]] graph::Task* task() noexcept { return task_; }
  [[nodiscard]] const WorkerStats& stats() const noexcept { return stats_; }
  // nullptr: times are not measured.
  [[nodiscard]] const LineTimes* lines() const noexcept { return lines_.get(); }

  // Makes main, or a guest, the task that this worker runs.
  void adopt_root(graph::Task* root, deps::RegionIndex region_zero) noexcept {
    task_ = root;
    region_zero_ = region_zero;
    if (lines_ != nullptr) lines_->have_main();
  }

  // Memory for a task with room for its closure and accesses; the task is not known to anybody yet.
  // `behind`: bytes for others, behind the accesses.
  [[nodiscard]] graph::Task* draft(std::size_t closure_bytes, std::size_t access_count,
                                   std::size_t behind = 0);

  // Spawns a drafted task as a child of the running one. It may have run, and its memory may be
  // another task's, when the call returns.
  void submit(graph::Task* task);

  // ---- for what is outside of the engine (worker_outside.cpp)

  // Makes a drafted task a child of the running one: submit() without order and queue.
  void adopt_child(graph::Task* task);
  // `count` tasks will be children of the running one when they are made, where they run. Returns
  // the order of the first.
  [[nodiscard]] std::uint64_t adopt_unmade(std::size_t count);
  // It has come to be run here.
  void accept(graph::Task& task);
  // Calls a child of the running task, on top of it. REQUIRES: a serial engine.
  void run_here(graph::Task* task);
  // Begins a task that has come, on a further stack. Returns when the task has been left or has
  // ended; then the thread is at home, which is the calling stack. REQUIRES: a serial engine.
  void begin_from(graph::Suspended& home, graph::Task& task);
  // Leaves the running task and its stack. Returns when somebody comes back to it.
  void leave_for(plat::Fiber& next);
  // Goes from home to the stack of a task that was left. Returns as begin_from() does.
  void come_back_to(plat::Fiber& stack) noexcept { stacks_.switch_to(stack); }
  [[nodiscard]] plat::Fiber& current_stack() noexcept { return stacks_.current(); }
  // Stands for a wait of the running task that another thread is to end.
  [[nodiscard]] graph::Task* draft_waiter(const myr_site* site);
  // Ends that wait. Any thread.
  static void end_wait(graph::Task& waiter);
  // Returns when the wait is over. Meanwhile the worker runs other tasks. The waiter is gone then.
  void help_until_over(graph::Task* waiter);
  // A drafted task that nobody knows is not wanted any more, or one that others were children of.
  void discard(graph::Task& task);
  // A child elsewhere of the task that waits has failed; the wait has not ended. Any thread.
  static void add_failure(const graph::Task& waiter, base::Failure failure);
  // The first of those that have reached the task.
  [[nodiscard]] static std::optional<base::Failure> take_failure_of(graph::Task& task);
  // A task whose children elsewhere are spread: has a wait brought a failure that it has not taken?
  [[nodiscard]] static bool has_failure(const graph::Task& task);
  [[nodiscard]] plat::StackBounds stack() const noexcept { return stacks_.bounds(); }
  // All of main's stack below the result is gone.
  [[nodiscard]] const void* end_of_gone(const void* kept) const noexcept {
    return kept == nullptr ? stack().high : kept;
  }
  // Does a recording want to know each task when it is spawned?
  [[nodiscard]] bool records_graph() const noexcept { return records_graph_; }

  // An object for the running task.
  [[nodiscard]] void* allocate(std::size_t bytes, myr_region region, const char* call,
                               const myr_site* site);

  // Tells it something that concerns it alone, or the end.
  [[nodiscard]] bool has_news() const noexcept;

  // Tells the worker that it runs on the calling thread. To be called there before anything else.
  // A stack that overflows, and a fault in a task, are told until plat::unwatch_stack().
  void adopt_thread();
  // Calls of the thread go to this worker. REQUIRES: adopt_thread().
  void take_context() noexcept {
    set_current(this);
    current_worker_ = is_called_directly_ ? this : nullptr;
  }

  // ---- ThreadContext; what programs call most is in worker_calls.hpp
  void wait(const myr_access* accesses, std::size_t count, const myr_site* site) override;
  void wait_all() override;
  [[nodiscard]] myr_draft new_draft(std::size_t closure_bytes, std::size_t access_count) override;
  void set_priority(const myr_draft& draft, int priority) override;
  void keep_here(const myr_draft& draft) override;
  void submit(const myr_draft& draft, myr_body body, const myr_site* site) override;
  void submit_two(const myr_draft& draft, const myr_two_bodies& bodies, std::size_t last_count,
                  const myr_site* site) override;
  void submit_later(const myr_draft& draft, const myr_two_bodies& bodies, std::size_t last_count,
                    const myr_site* site) override;
  void spawn(myr_function function, const myr_access* accesses, std::size_t count,
             const myr_site* site) override;
  [[nodiscard]] bool wait_for(std::uint64_t timeout_ns, const myr_access* accesses,
                              std::size_t count, const myr_site* site) override;
  [[nodiscard]] std::shared_ptr<base::Arena> enter_arena(unsigned workers) override;
  void leave_arena(std::shared_ptr<base::Arena> before) override;
  [[nodiscard]] std::uint64_t new_event(const myr_site* site) override;
  [[nodiscard]] sync::EventHolder* event_holder() override;
  [[nodiscard]] base::SerialPlace serial_place() const override;
  void fail(base::Exception exception) override;
  [[nodiscard]] std::optional<base::Failure> take_failure() override;
  [[nodiscard]] myr_region new_region(myr_region parent, int level_hint,
                                      const myr_site* site) override;
  void free_region(myr_region region, const myr_site* site) override;
  void cancel_region(myr_region region, const myr_site* site) override;
  [[nodiscard]] bool is_cancelled() override;
  [[nodiscard]] myr_region region_around(myr_region region) override;
  void allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                const char* call, const myr_site* site) override;
  [[nodiscard]] void* allocate_blocks(std::size_t bytes, unsigned block_shift, myr_region region,
                                      const myr_site* site) override;
  [[nodiscard]] void* reallocate(void* object, std::size_t bytes, myr_region region,
                                 const myr_site* site) override;
  void free(void* object, const myr_site* site) override;
  // What runs on a guest's own thread, runs beside worker 0.
  [[nodiscard]] unsigned worker_index() const override {
    return index_ < worker_count() ? index_ : 0;
  }
  [[nodiscard]] unsigned worker_count() const override;
  [[nodiscard]] unsigned loop_worker_count() const override;
  [[nodiscard]] bool cuts_below_grain() const override;
  [[nodiscard]] bool splits_loops() const override { return spawning_ != Spawning::Calls; }
  void submit_to(const sync::Placement& best, const myr_draft& draft, myr_body body,
                 const myr_site* site) override;
  void submit_brief(const myr_draft& draft, myr_body body, const myr_site* site) override;
  [[nodiscard]] bool is_work_wanted() const override;
  [[nodiscard]] std::optional<unsigned> take_beggar() override;
  void begin_step(std::unique_ptr<base::StepRecord>& record, const myr_site* site) override;
  void end_step(base::StepRecord* record, const myr_site* site) override;
  void free_record(base::StepRecord* record, const myr_site* site) override;
  [[nodiscard]] bool runs_main() const override { return index_ == 0 && task_->parent == nullptr; }
  void main_ends(const void* kept) override;
  void disown() override;

  // ---- the checks of calls about memory, and the waits for children

  // The region, if the running task may allocate in it; waits for children that might do so too.
  [[nodiscard]] deps::RegionIndex region_to_change(myr_region id, const char* call,
                                                   const myr_site* site);
  // The region, if the running task may free it.
  [[nodiscard]] deps::RegionIndex region_to_free(myr_region id, const myr_site* site);
  // The whole object that starts at `address`, if the running task may free it.
  [[nodiscard]] graph::Target object_to_free(void* address, const char* call, const myr_site* site);
  // wait() for one access, if any child of the running task is alive.
  void wait_if_used(const myr_access& access, const myr_site* site);
  [[noreturn]] MYR_COLD static void report_no_memory(const char* call, std::size_t bytes,
                                                     const myr_site* site);

  // The life of a worker thread: runs until the engine stops.
  void loop();

  // Takes some of the oldest ready tasks. Any thread.
  unsigned thief_take(graph::Task** out, unsigned max) noexcept;
  // Takes a ready task, the first at or behind a place in the queue. Any thread.
  [[nodiscard]] graph::Task* thief_take_at(std::uint32_t place) noexcept;
  // Tasks spawned and run, modulo 2^31. A hint, for any thread.
  [[nodiscard]] std::uint32_t steps() const noexcept { return progress_.look().steps; }
  // Does it want to be given a task? A hint.
  [[nodiscard]] bool begs() const noexcept { return begs_.load(sync::relaxed); }
  // Once all tasks have ended and no other thread is left: nullptr, or what is not over.
  [[nodiscard]] const char* broken_invariant() const;
  // How many ready tasks there are, about.
  [[nodiscard]] std::uint32_t ready_hint() const noexcept {
    return ring_.size_hint() + overflow_count_.load(sync::relaxed);
  }

 private:
  static constexpr std::uint32_t kRingCapacity = 1024;
  static constexpr unsigned kStealMax = 32;     // tasks taken at a time
  static constexpr unsigned kOldest = 64;       // how far a thief looks for the oldest placed task
  static constexpr std::uint32_t kWindow = 64;  // tasks spawned between two looks at the own queue
  // Ready tasks that are left to others, beside one for each, where small ones are called.
  static constexpr std::uint32_t kSpared = 4;
  static constexpr std::uint32_t kNoDepth = ~0U;
  // Larger tasks kept ready for other workers.
  static constexpr std::uint32_t kReadyEnough = 256;
  static constexpr std::int64_t kLiveEnough = 1024;  // children: their memory shall stay in cache
  // A thief takes up to kStealMax tasks at a time, so moving one costs about as much as this.
  static constexpr std::uint64_t kFineTicks = 250;
  static constexpr std::uint64_t kPatienceTicks = 5'000;
  // One small task in so many is timed, and one larger one in so many. All long ones are.
  static constexpr std::uint32_t kSampleEvery = 16;
  static constexpr std::uint32_t kSampleLarger = 4;
  // Waking a certain worker for a task costs about as much.
  static constexpr std::uint64_t kLongTicks = 5'000;
  static constexpr unsigned kSlowSamples = 2;  // in a row, before tasks count as larger

  // worker_spawn.cpp
  [[nodiscard]] graph::Task* take_memory(std::size_t payload_bytes);
  static void tell_full_stack(const void* worker, const plat::StackOverflow& overflow) noexcept;
  static void tell_fault_in_task(const void* worker, const plat::Fault& fault) noexcept;
  void keep_memory(graph::Task* task);
  [[nodiscard]] graph::Task* new_task(std::size_t closure_bytes, std::size_t access_count,
                                      std::size_t behind);
  [[noreturn]] MYR_COLD static void throw_bad_alloc();
  [[nodiscard]] bool link_child(graph::Task* task) {
    return MYR_LIKELY(task_->interior->replay == nullptr) ? link(task) : link_in_step(task);
  }
  [[nodiscard]] bool link(graph::Task* task);
  [[nodiscard]] bool link_behind(graph::Task* task, graph::TaskRef before);
  [[nodiscard]] bool commit(graph::Task* task, std::uint32_t linked, bool claims);
  [[nodiscard]] bool is_whole_as_good(const graph::Task& task) noexcept;
  [[nodiscard]] graph::Task* make_first(graph::Task& whole, std::size_t last_count);
  [[nodiscard]] graph::Task* split(graph::Task& second, const myr_two_bodies& bodies,
                                   std::size_t last_count, const myr_site* site);
  void submit_one_of_two(graph::Task* task, graph::TaskRef before);
  [[nodiscard]] bool link_one_of_two(graph::Task* task, graph::TaskRef before);
  void enter_accesses(graph::Task& task, graph::Linker& linker);
  myr_access* enter_stretch(myr_access* access, myr_access* end, graph::Linker& linker);
  myr_access* enter_neighbours(myr_access* access, myr_access* end, graph::Linker& linker);
  myr_access* enter_blocks(myr_access* access, myr_access* end, graph::Linker& linker);
  myr_access* enter_outside(myr_access* access, myr_access* end, graph::Linker& linker);
  void enter_access(graph::Task& task, myr_access& access, graph::Linker& linker);
  void enter_group(graph::Task& task, graph::Target& target, graph::Linker& linker);
  // worker_later.cpp
  void leave_for_later(graph::Task* task, bool is_ready);
  MYR_COLD void call_among_later(graph::Task* task);
  MYR_COLD void run_later_ones();
  [[nodiscard]] graph::Task* take_below();
  void run_ready(graph::Task* task);
  [[nodiscard]] bool is_granted(graph::Task& waiter);
  [[nodiscard]] bool help_once();
  [[nodiscard]] graph::Task* find_for_question();
  [[nodiscard]] bool is_only_worker() const noexcept;
  // worker_weak.cpp
  [[nodiscard]] MYR_COLD static bool is_left_to_stand_in(graph::Task& task,
                                                         const myr_access& access,
                                                         graph::Linker& linker);
  [[nodiscard]] MYR_COLD std::uint32_t begin_early(graph::Task& task);
  [[nodiscard]] bool make_stand_in(graph::Task& task, const myr_access& weak);
  // May a task run on top of the running one? A task that a weak one waits for must not lie below
  // it.
  [[nodiscard]] bool may_lie_here(const graph::Task& task) const noexcept {
    return MYR_LIKELY((task.flags & graph::kWeak) == 0) || task_ == nullptr || task.parent == task_;
  }
  [[nodiscard]] bool submit_unlike_others(graph::Task* task);
  [[nodiscard]] bool may_be_called(const graph::Task& task) const noexcept;
  [[nodiscard]] bool may_run_at_once(const graph::Task& task) noexcept;
  // A recursion needs none beside one for each: the oldest has most of the work below it.
  [[nodiscard]] bool has_enough_for_others(const graph::Task& task) const noexcept {
    const std::uint32_t beside = least_depth_ < task.depth ? 0 : kSpared;
    return ring_.size_hint() > worker_count() + beside;
  }
  [[nodiscard]] bool call_at_once(graph::Task* task);
  void run_alone(graph::Task* task);
  [[nodiscard]] bool must_be_known(const graph::Task& task) const noexcept;
  void make_known(graph::Task& task);
  void check_accesses(graph::Task* task);
  // Stands for a wait of the running task, which is checked, and linked as a task would be.
  struct DraftedWaiter {
    DraftedWaiter(Worker& worker, const myr_access* accesses, std::size_t count,
                  const myr_site* site);
    ~DraftedWaiter();
    DraftedWaiter(const DraftedWaiter&) = delete;
    DraftedWaiter& operator=(const DraftedWaiter&) = delete;

    Worker& worker;
    graph::Task* const task;
  };
  void wait_until_granted(graph::Task& waiter);
  void call(graph::Task* task);
  void note_lent_stack(std::uint64_t address) noexcept {
    const auto* first = reinterpret_cast<const std::byte*>(address);
    const plat::StackBounds stack = stacks_.bounds();
    if (first >= stack.low && first < stack.high) task_->interior->lends_stack = true;
  }
  void make_ready(graph::Task* task);
  void help_after_spawn();
  // May a spawner run this one, which is not waiting? What is not below it in the tree is left
  // alone: the spawner would have to wait for it.
  [[nodiscard]] bool is_further_down(const graph::Task& task) const noexcept {
    return task.depth > task_->depth && may_lie_here(task);
  }

  // worker_memory.cpp
  [[nodiscard]] graph::RegionSpace& space() noexcept;
  [[nodiscard]] deps::RegionIndex find_region(myr_region id, const char* call,
                                              const myr_site* site);
  // Did region_to_change() say so the last time it was asked, and does that still stand?
  [[nodiscard]] bool may_change_again(myr_region id) const noexcept;
  // `block_shift`: of an array with blocks; 0: an object.
  [[nodiscard]] void* allocate_in(deps::RegionIndex region, std::size_t bytes, unsigned block_shift,
                                  const char* call, const myr_site* site);
  void tell_allocated(const void* object, std::size_t bytes, const myr_site* site);
  [[nodiscard]] MYR_COLD void* allocate_slow(std::size_t bytes, myr_region region, const char* call,
                                             const myr_site* site);
  void free_target(const graph::Target& target, void* object);
  // Returns when no child of the running task may allocate in the region.
  void wait_for_region_writers(deps::RegionIndex region, const myr_site* site);

  // worker_run.cpp
  void run_chain(graph::Task* task);
  [[nodiscard]] graph::Task* take_next();
  [[nodiscard]] graph::Task* most_urgent(graph::Task* task);
  void run(graph::Task* task);
  void call_body(graph::Task* task);
  void call_function(graph::Task* task);
  void time_body(graph::Task* task);
  void learn_size(std::uint64_t body_ticks);
  void end(graph::Task* task);
  void end_interior(graph::Task* task);
  void check_lent_stack(const graph::Task& ended, const void* frame);
  [[noreturn]] MYR_COLD void report_no_stack(const graph::Task& next) const;
  [[nodiscard]] bool is_far_ahead() const;
  void all_children_ended(graph::Task* task);
  MYR_COLD void end_spreader(graph::Task* task);           // worker_outside.cpp
  [[nodiscard]] MYR_COLD bool is_held(graph::Task* task);  // held_task.cpp
  void retire(graph::Task* task);
  MYR_COLD void retire_spread(graph::Task* task);
  void let_go(graph::Task* task);
  void give_up_claims(graph::Task* task);
  void release_successors(graph::Granule head);
  [[nodiscard]] graph::Granule end_join();
  void release(graph::Task* successor);
  [[nodiscard]] bool is_to_run(graph::Task* successor);
  [[nodiscard]] static bool take_claims(graph::Task* task) {
    return task->parent->interior->claims->take(task);
  }
  void pass_failure_up(graph::Task* task);
  static void record_failure(graph::Task* parent, graph::Failure* failure);
  void child_done(graph::Task* parent) {
    if (parent == task_) {
      parent->interior->finished_here += 1;
      return;
    }
    if (parent != done_parent_) switch_done_parent(parent);
    done_count_ += 1;
  }
  void switch_done_parent(graph::Task* parent);
  void flush_done_but(const graph::Task* parent);
  void flush_done();

  // worker_find.cpp
  enum class Patience { None, Some };
  [[nodiscard]] graph::Task* find(Patience patience);
  [[nodiscard]] graph::Task* take_own();
  void put_back(graph::Task* task);
  [[nodiscard]] graph::Task* steal(Patience patience);
  [[nodiscard]] unsigned victim_at(unsigned place, unsigned count) const noexcept;
  [[nodiscard]] bool should_leave_placed(const Worker& victim, std::uint64_t now);
  [[nodiscard]] graph::Task* steal_from(Worker& victim);
  [[nodiscard]] graph::Task* probe(Worker& victim, std::uint64_t now);
  [[nodiscard]] graph::Task* steal_some(Worker& victim, unsigned max);
  [[nodiscard]] bool should_leave_alone(const Worker& victim);
  [[nodiscard]] graph::Task* take_overflow() noexcept;
  [[nodiscard]] graph::Task* take_old_overflow() noexcept;
  void push_overflow(graph::Task* task) noexcept;

  // worker_arena.cpp
  [[nodiscard]] bool is_in_arena() const noexcept;
  [[nodiscard]] Arena& arena() const noexcept;
  void come_out_of(Arena& arena);
  MYR_COLD void take_into_arena(graph::Task& task);
  MYR_COLD void make_ready_in_arena(graph::Task* task);
  [[nodiscard]] MYR_COLD graph::Task* take_common();
  MYR_COLD void end_in_arena(graph::Interior& family);

  // worker_wait.cpp
  static void serve_on_new_stack(void* worker);
  void serve();
  void go_back_to(graph::Suspended& waiter);
  [[nodiscard]] graph::Task* rest(unsigned& round, bool sleeps, const Wait* wait = nullptr);
  [[nodiscard]] bool is_time_to_sleep(unsigned round) const noexcept;
  [[nodiscard]] graph::Task* sleep();
  [[nodiscard]] graph::Task* wait_alone();
  void keep_apart(unsigned waker_cpu) noexcept;
  void before_idle();
  // Memory that nobody has wanted for a while goes to the system.
  void trim_memory() noexcept {
    recycler_.pool().trim();
    if (MYR_UNLIKELY(mem::Heap::has_many_idle_pages())) mem::Heap::trim(plat::now_ns());
  }
  void help_until(Wait wait);
  void nap_here();
  [[nodiscard]] bool hand_over(Wait& wait, graph::Suspended& self);
  void sleep_until(Wait wait);
  [[nodiscard]] bool is_to_run_here(const graph::Task& task);
  void give_back(graph::Suspended* resumed, graph::Task* task);
  void run_on_other_stack(graph::Task* task);
  void resume(graph::Suspended& waiter);
  void call_back(graph::Suspended& waiter);
  [[nodiscard]] graph::Suspended* take_resumed() noexcept;

  // worker_cancel.cpp
  [[nodiscard]] MYR_COLD bool is_cancelled(graph::Task& task);
  MYR_COLD static void drop_body(graph::Task& task);
  // worker_replay.cpp
  graph::Replay& own_replay(std::unique_ptr<base::StepRecord>& record, const myr_site* site);
  [[noreturn]] MYR_COLD static void report_other_task(const char* call, const graph::Replay& replay,
                                                      const myr_site* site);
  void begin_step_of(std::unique_ptr<base::StepRecord>& record, const myr_site* site);
  void begin_replay(graph::Replay& replay, graph::Interior& family);
  [[nodiscard]] bool link_in_step(graph::Task* task, graph::TaskRef before = {});
  void replay_spawn(graph::Task* task, graph::Replay& replay, graph::TaskRef before);
  MYR_COLD void join_step(graph::Task& task);
  [[nodiscard]] bool link_borders(graph::Task& task, graph::Replay& replay, std::uint32_t index,
                                  graph::TaskRef before);
  void start_replayed(graph::Task* task);
  void release_replayed(const graph::Task& task, bool in_chain);
  void break_off(graph::Replay& replay);
  MYR_COLD void enter_replayed(graph::Task& parent);
  MYR_COLD void leave_replay(graph::Task& task);
  static void forget_replayed(graph::Interior& family);
  void wait_for_task(graph::TaskRef on);
  void wait_for_replayed(graph::Replay& replay);
  // Main's steps that repeat by themselves.
  [[nodiscard]] bool has_own_steps() const noexcept;
  void begin_own_step();
  MYR_COLD void end_own_step();
  // Before the running task's domain is looked into.
  void complete_domain() {
    if (MYR_UNLIKELY(task_->interior->replay != nullptr)) enter_replayed(*task_);
  }
  // worker_place.cpp
  [[nodiscard]] unsigned best_worker(const graph::Task& task) const noexcept;
  void place(graph::Task* task, unsigned best);
  void beg();
  void stop_begging() {
    if (MYR_UNLIKELY(begs_here_)) withdraw();
  }
  MYR_COLD void withdraw();

  // worker_chaos.cpp: with chaos_ only.
  MYR_COLD void help_in_chaos();
  MYR_COLD void run_in_chaos(graph::Task* task);
  [[nodiscard]] graph::Task* find_at_random();

  // worker_observe.cpp: with observed_ only.
  MYR_COLD void observe_state(trace::State state);
  void observe_line(trace::State state, std::uint64_t ticks);
  MYR_COLD void observe_rest();
  MYR_COLD void observe_begin(graph::Task& task);
  MYR_COLD void observe_end();
  MYR_COLD void observe_child(graph::Task& task);
  MYR_COLD void observe_waiter(graph::Task& task);
  MYR_COLD void check_first(graph::Task& task, myr_body whole, const myr_site* site);
  void make_nothing_of(graph::Task& task);
  MYR_COLD void observe_steal(const Worker& victim, unsigned count);
  void record_in_graph(graph::Task& task);

  // What passed since the last call was spent in `state`.
  void charge(trace::State state) {
    if (MYR_UNLIKELY(observed_)) observe_state(state);
  }

  static constinit thread_local Worker* current_worker_;
  inline static bool is_called_directly_ = true;

  Engine& engine_;
  graph::Recycler& recycler_;
  Outside* outside_;             // nullptr: nothing is there
  graph::Task* task_ = nullptr;  // the running task
  // Memory of the last task that was called, for the next one: its size, and how much of it is
  // free, which is all or nothing.
  graph::Task* spare_ = nullptr;
  std::size_t spare_bytes_ = 0;
  std::size_t free_spare_bytes_ = 0;
  graph::Task* next_ = nullptr;         // made ready by the task that just ended: run it next
  graph::Task* joins_ = nullptr;        // that are ready: a list, empty between tasks
  graph::Task* done_parent_ = nullptr;  // its ended children are counted in done_count_
  std::uint32_t done_count_ = 0;
  std::uint16_t index_;
  // The region 0 of the root that this worker runs, or that of main.
  deps::RegionIndex region_zero_ = deps::kRootRegion;
  // What becomes of a spawned task. Calls: with one worker, unless the graph is recorded.
  // Shares: where a node has one thread it calls them, too, while no worker begs. Others: tasks of
  // a guest are for the engine's workers.
  enum class Spawning : std::uint8_t { Queues, Calls, Shares, Chaos, Others };
  Spawning spawning_;
  bool goes_on_first_ = false;  // the last question looked for tasks that were left first
  bool has_later_ = false;      // Calls: since main's last wait for all, tasks were queued
  base::SharedFlag observed_;   // by --stats, --trace or --graph, or an error handler
  bool records_graph_ = false;
  bool queues_all_;           // each task is to be seen, or to run beside others as far as it may
  bool is_disowned_ = false;  // in a forked child
  std::uint32_t window_left_ = kWindow;
  std::uint32_t sample_left_ = kSampleEvery;
  unsigned slow_samples_ = 0;
  // The least depth of what was put into the ring since it was empty: a hint.
  std::uint32_t least_depth_ = kNoDepth;
  bool runs_long_ = false;    // the last body that was timed took more than kLongTicks
  std::uint64_t mark_ticks_;  // with observed_: when the current state began
  unsigned victim_ = 0;       // where the last steal succeeded
  const std::vector<std::uint16_t> nearest_;  // workers in the order of searches, if any are bound
  SmallFunctions small_;
  Progress progress_;
  // What this worker last saw of the others: small tasks are taken only from one that stands still.
  struct Seen {
    std::uint32_t steps = 0;
    std::uint64_t ticks = 0;
    std::uint64_t placed_ticks = 0;  // when it was first seen to be about to take a task; 0: not
  };
  base::ZeroedArray<Seen> seen_;  // by worker index
  bool left_alone_ = false;       // the last search passed by such a victim
  unsigned in_arenas_ =
      0;  // tasks of arenas that have begun here, and arenas that they have entered
  // For tasks that are left alone. To move one takes both cores a tenth of what makes it worth it.
  base::Probes<10'000, 10'000, 2'560'000> probes_;
  std::uint64_t spin_end_ns_ = 0;  // without work: then it sleeps
  bool begs_here_ = false;         // has set begs_, and not looked at it since
  WorkerStats stats_;
  // What region_to_change() allowed for the last object. It stands while the same task goes on
  // running, without another one in between, spawns nothing, and frees no region.
  struct Changeable {
    const graph::Task* task = nullptr;
    std::uint64_t steps = 0;
    myr_region region = 0;
    mem::Pool* pool = nullptr;
  };
  // Changes whenever this worker begins a task, and when the running one spawns another.
  [[nodiscard]] std::uint64_t step_count() const noexcept { return stats_.ran + stats_.spawned; }
  Changeable changeable_;
  mem::ArrayView array_;                 // the last one of which main's tasks used parts
  trace::Timeline* timeline_ = nullptr;  // none: not wanted
  std::unique_ptr<LineTimes> lines_;     // the same
  trace::GraphRecord* graph_ = nullptr;  // the same
  std::optional<plat::Jitter> chaos_;    // engaged: Spawning::Chaos

  OwnSteps own_steps_;  // of main, if this worker runs it

  Stacks stacks_;
  unsigned full_stacks_ = 0;             // left because they were full
  graph::Task* handed_ = nullptr;        // to run first on the stack that the worker goes on with
  graph::Suspended* caller_ = nullptr;   // whom to go back to when it has ended; nullptr: nobody
  graph::Suspended* resumed_ = nullptr;  // whose wait is over: a list
  sync::ReturnStack<graph::Suspended> inbox_;  // the same, from other workers
  std::unique_ptr<sync::EventCount> bell_;     // Spawning::Others: where the thread sleeps

  sync::WorkRing<graph::Task, kRingCapacity> ring_;

  // Does it want a task from any worker that can give one? Set by the owner, reset by all. A hint.
  alignas(base::kCacheLine) sync::Atomic<bool> begs_{false};

  // Ready tasks for which the ring had no place, and those that others have placed here: a lock is
  // cheap enough.
  std::mutex overflow_lock_;
  graph::Task* overflow_ = nullptr;                // guarded by overflow_lock_
  sync::Atomic<std::uint32_t> overflow_count_{0};  // written under the lock, read as a hint

  ErrorWatch error_watch_{observed_};
};

}  // namespace myr::engine
