// SPDX-License-Identifier: Apache-2.0
//
// Placer: which child of a scheduler gets a task or a region (paper 1, section V-C). A score weighs
// how much of the task's data is below a child against how little that child has to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/dice.hpp"
#include "proto/ids.hpp"
#include "proto/messages.hpp"
#include "sched/topology.hpp"

namespace myr::sched {

// How many tasks each child has; and the least and the most of them, without looking at all.
class TaskCounts {
 public:
  explicit TaskCounts(std::size_t children)
      : counts_(children), children_with_{static_cast<std::uint32_t>(children)} {}

  // Cost: O(1 + the change).
  void set(std::size_t child, std::uint32_t count);
  [[nodiscard]] std::uint32_t operator[](std::size_t child) const { return counts_[child]; }
  [[nodiscard]] std::uint32_t least() const noexcept { return least_; }
  [[nodiscard]] std::uint32_t most() const noexcept { return most_; }
  // The first child from this one on, round and round, that has the least.
  [[nodiscard]] std::size_t next_with_least(std::size_t from) const noexcept;
  // nullptr, or what does not fit the counts. Cost: O(children + tasks).
  [[nodiscard]] const char* broken_invariant() const;

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> children_with_;  // so many tasks
  std::uint32_t least_ = 0;
  std::uint32_t most_ = 0;
};

class Placer {
 public:
  struct Rules {
    unsigned load_percent;  // what the score is made of: 100: load alone, 0: locality alone
    bool moves_data;        // that of a task that is bound to a worker is brought there meanwhile
    unsigned threads = 1;   // of each worker
    // See TakeBack: then the scheduler above has to know of room here; a task may wait behind
    // another one at any time; and if data moves, tasks go where it is.
    bool takes_back = false;
  };
  // `chaos`: a seed; then chance decides, not the score.
  Placer(const Topology& topology, AgentId self, const Rules& rules,
         std::optional<std::uint64_t> chaos = {});

  // For one of so many tasks that wait. False: the children are workers that all have enough to do,
  // so a task had better wait: it is not known yet which is free first. Where no task is taken
  // back, none goes behind another one unless more wait than there are workers: else some might
  // become idle while it waits. But one that runs a step that is replayed may wait for the task.
  [[nodiscard]] bool has_room(std::size_t waiting) const noexcept {
    const std::uint32_t least = tasks_.least();
    const bool is_idle = least + kTasksAhead < tasks_max_;
    const bool may_wait = binds_late_ && in_steps_ == 0 && waiting <= children_.size();
    return least < tasks_max_ && (is_idle || !may_wait);
  }
  // Tasks that wait to be placed are taken by their rank, the highest first: those that are nested
  // most deeply, so that few have begun and wait for others; or any in chaos.
  [[nodiscard]] std::uint32_t rank(const proto::SerialTime& spawned_at) noexcept {
    return chaos_ ? static_cast<std::uint32_t>(chaos_->below(8)) : spawned_at.depth();
  }
  // The child with the highest score; among equals, the next in turn. Counts the task in.
  // REQUIRES: has_room(...). Cost: O(pieces), and finding the next child that has the least to do.
  [[nodiscard]] AgentId place_task(const proto::Pieces& pieces);
  // The same for a task that one worker alone can run: the child in whose subtree that is.
  [[nodiscard]] AgentId place_bound(AgentId worker) { return count_in(index_of(worker)); }
  // The worker, a child, counts as having one task more, or no longer: while it runs tasks of a
  // step that is replayed, which are not told one by one.
  void step_begins(AgentId worker) {
    const std::size_t index = index_of(worker);
    set_tasks(index, children_[index].tasks + 1);
    in_steps_ += 1;
  }
  void step_ends(AgentId worker) {
    const std::size_t index = index_of(worker);
    set_tasks(index, children_[index].tasks - 1);
    in_steps_ -= 1;
  }
  // The child that could run the most tasks more at once, whatever its data. Counts the task in.
  // REQUIRES: has_idle(). Cost: O(children).
  [[nodiscard]] AgentId place_on_idle();
  // The scheduler above has sent a task: to be placed here, or back to its worker.
  void sent_from_above() {
    places_ += 1;
    believed_ += 1;
  }
  // One of these has left its worker, or goes to another child of that scheduler, which counts it
  // off.
  void left_for_above() { believed_ -= 1; }
  // A task that this scheduler, or one above, had placed below has ended, or waits: then its worker
  // is there for others.
  void task_left(AgentId child, proto::TaskId task, bool waits);
  // The wait of the task is over, and it goes back to its worker. Also: main begins.
  void task_returns(AgentId worker, proto::TaskId task);
  // The child with the fewest regions; among equals, the next in turn.
  [[nodiscard]] AgentId place_region();
  void region_added() { regions_ += 1; }
  void region_removed() { regions_ -= 1; }

  // Has a child fewer tasks than it has threads for? And does one have more?
  [[nodiscard]] bool has_idle() const noexcept { return idle_ != 0; }
  [[nodiscard]] bool has_crowded() const noexcept { return crowd_ != 0; }
  // The first crowded child behind that one, in their order; kNoAgent: from the first one on.
  [[nodiscard]] std::optional<AgentId> crowded_behind(AgentId child) const;
  // If this is another number than before, the answers of the three above may have changed.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

  // A child has told its load.
  void report(AgentId child, const proto::Load& load);
  // What to tell the scheduler above, if it has changed enough since the last time: by a tenth of
  // the regions or a quarter of the tasks, and whenever one of them comes from or goes to zero;
  // with `takes_back`, also when the scheduler above is wrong about whether there is room here, or
  // need of it.
  // `kept`: tasks that wait until there is room.
  [[nodiscard]] std::optional<proto::Load> take_report(std::size_t kept);
  // nullptr, or which sum does not fit the children. Cost: O(children + tasks).
  [[nodiscard]] const char* broken_invariant() const;

  static constexpr std::uint64_t kScoreMax = 1024;
  // A worker's, beside one that runs on each of its threads: the data of the next is on its way.
  // Where no data moves, nothing waits behind main, as nobody knows when its thread will be free.
  static constexpr std::uint32_t kTasksAhead = 1;
  // Where tasks are placed by their data: this much of it takes as long to bring as a few messages,
  // and a child that has the most of it gets the task unless it has that many for each thread.
  static constexpr std::uint64_t kStayingBytes = 64 * 1024;
  static constexpr std::uint32_t kStayingTasks = 4;

 private:
  static constexpr std::size_t kNobody = ~std::size_t{0};
  struct Child {
    std::uint32_t tasks = 0;
    std::uint32_t waiting = 0;                 // tasks of a worker, besides
    std::vector<proto::TaskId> returned = {};  // of its tasks: from a wait
    std::uint32_t threads = 0;                 // how many tasks can run there at once
    std::uint32_t regions = 0;
    std::uint64_t places = 0;  // sent there, ever
    std::uint64_t bytes = 0;   // of the task that is being placed
  };

  void set_tasks(std::size_t index, std::uint32_t count);
  void set_tasks(std::size_t index, std::uint32_t count, std::uint32_t threads);
  [[nodiscard]] std::uint32_t tasks_that_take_room(std::size_t index) const;
  [[nodiscard]] std::size_t index_of(AgentId agent) const noexcept {
    return topology_.child_index(self_, agent);
  }
  // Notes who has how much of the task; returns how much that is in all.
  [[nodiscard]] std::uint64_t count_bytes(const proto::Pieces& pieces);
  [[nodiscard]] std::uint64_t score(std::size_t index, std::uint64_t total_bytes) const;
  [[nodiscard]] std::size_t best(const proto::Pieces& pieces);
  [[nodiscard]] std::size_t any_with_room();
  // The child that the task's data would have to leave; nobody: there is little of it anywhere, or
  // too much to do where it is.
  [[nodiscard]] std::optional<std::size_t> where_data_stays() const;
  // Returns the child, which has one more task now.
  AgentId count_in(std::size_t index);

  const Topology& topology_;
  AgentId self_;
  std::uint64_t load_percent_;
  bool keeps_off_main_;  // see kTasksAhead; of workers
  bool tells_room_;
  bool data_stays_;
  bool binds_late_;          // of workers
  bool waits_on_top_;        // of workers
  std::uint32_t tasks_max_;  // of a child that gets another one
  std::vector<Child> children_;
  TaskCounts tasks_;                    // of each: those that take room
  std::vector<std::size_t> holders_;    // children with bytes of the task that is being placed
  std::size_t in_steps_ = 0;            // children that run a step, for each that they run
  std::size_t main_runs_at_ = kNobody;  // the child
  std::uint32_t task_total_ = 0;
  std::uint32_t idle_ = 0;   // of all children: tasks that could run at once, and are not there
  std::uint32_t crowd_ = 0;  // the same: tasks for which there is no thread
  std::uint64_t changes_ = 0;
  std::uint32_t regions_ = 0;  // here and below
  std::size_t task_turn_ = 0;
  std::size_t region_turn_ = 0;
  std::uint64_t places_ = 0;  // see proto::Load
  proto::Load told_{.tasks = 0, .regions = 0};
  std::int64_t believed_ = 0;  // tasks that the scheduler above counts here
  std::optional<base::Dice> chaos_;
};

}  // namespace myr::sched
