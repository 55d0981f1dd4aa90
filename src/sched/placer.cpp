// SPDX-License-Identifier: Apache-2.0
#include "sched/placer.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"

namespace myr::sched {

using proto::Load;
using proto::Piece;

// ---- TaskCounts -------------------------------------------------------------------------------

void TaskCounts::set(std::size_t child, std::uint32_t count) {
  children_with_[counts_[child]] -= 1;
  counts_[child] = count;
  if (count >= children_with_.size()) children_with_.resize(std::size_t{count} + 1);
  children_with_[count] += 1;
  least_ = std::min(least_, count);
  most_ = std::max(most_, count);
  while (children_with_[least_] == 0) least_ += 1;
  while (children_with_[most_] == 0) most_ -= 1;
}

std::size_t TaskCounts::next_with_least(std::size_t from) const noexcept {
  const auto start = counts_.begin() + static_cast<std::ptrdiff_t>(from);
  auto found = std::find(start, counts_.end(), least_);
  if (found == counts_.end()) found = std::find(counts_.begin(), start, least_);
  return static_cast<std::size_t>(found - counts_.begin());
}

const char* TaskCounts::broken_invariant() const {
  std::vector<std::uint32_t> children_with(children_with_.size());
  for (const std::uint32_t count : counts_) children_with.at(count) += 1;
  if (children_with != children_with_) return "another number of children has so many tasks";
  const auto [least, most] = std::minmax_element(counts_.begin(), counts_.end());
  return *least == least_ && *most == most_ ? nullptr : "others have the least and the most tasks";
}

namespace {
// 0 instead of less.
std::uint32_t minus(std::uint32_t a, std::uint32_t b) noexcept { return a > b ? a - b : 0; }
}  // namespace

// ---- Placer -----------------------------------------------------------------------------------

Placer::Placer(const Topology& topology, AgentId self, const Rules& rules,
               std::optional<std::uint64_t> chaos)
    : topology_(topology),
      self_(self),
      load_percent_(rules.load_percent),
      keeps_off_main_(!rules.moves_data && topology.is_leaf_scheduler(self)),
      tells_room_(rules.takes_back),
      data_stays_(rules.takes_back && rules.moves_data),
      binds_late_(!rules.takes_back && topology.is_leaf_scheduler(self)),
      waits_on_top_(rules.takes_back && topology.is_leaf_scheduler(self)),
      tasks_max_(topology.is_leaf_scheduler(self) ? rules.threads + kTasksAhead : ~0U),
      children_(topology.children(self).size()),
      tasks_(children_.size()) {
  MYR_ASSERT(rules.load_percent <= 100);
  if (chaos) chaos_.emplace(*chaos, self);
  for (std::size_t i = 0; i < children_.size(); ++i) {
    const AgentId child = topology.children(self)[i];
    const unsigned end = topology.worker_number(topology.end(child));
    set_tasks(i, 0, rules.threads * (end - topology.worker_number(child)));
  }
  told_.room = static_cast<std::int32_t>(idle_);  // as the scheduler above counts it
}

// Data elsewhere counts for nobody.
std::uint64_t Placer::count_bytes(const proto::Pieces& pieces) {
  std::uint64_t total = 0;
  for (const std::size_t index : holders_) children_[index].bytes = 0;
  holders_.clear();
  for (const Piece& piece : pieces) {
    total += piece.bytes;
    const bool is_below = piece.producer != proto::kNoAgent && piece.producer != self_ &&
                          topology_.is_within(piece.producer, self_);
    if (!is_below || piece.bytes == 0) continue;
    Child& holder = children_[index_of(piece.producer)];
    if (holder.bytes == 0) holders_.push_back(static_cast<std::size_t>(&holder - &children_[0]));
    holder.bytes += piece.bytes;
  }
  return total;
}

// The sum of two parts from 0 to kScoreMax: how little there is to do, and the share of the bytes.
std::uint64_t Placer::score(std::size_t index, std::uint64_t total_bytes) const {
  const std::uint64_t most = tasks_.most();
  const std::uint64_t span = most - tasks_.least();
  const std::uint64_t idle = span == 0 ? 0 : (most - tasks_[index]) * kScoreMax / span;
  const std::uint64_t bytes = children_[index].bytes;
  const std::uint64_t locality = bytes == 0 ? 0 : bytes * kScoreMax / total_bytes;
  return load_percent_ * idle + (100 - load_percent_) * locality;
}

// Without data only the child with the least to do can win, or, when that does not count, the next
// in turn.
std::size_t Placer::best(const proto::Pieces& pieces) {
  const std::uint64_t total_bytes = count_bytes(pieces);
  if (data_stays_) {
    if (const auto holder = where_data_stays()) return *holder;
  }
  std::size_t winner = load_percent_ == 0 && tasks_[task_turn_] < tasks_max_
                           ? task_turn_
                           : tasks_.next_with_least(task_turn_);
  if (holders_.empty()) return winner;
  const auto wait_of = [&](std::size_t index) {
    return index >= task_turn_ ? index - task_turn_ : index + children_.size() - task_turn_;
  };
  std::uint64_t highest = score(winner, total_bytes);
  for (const std::size_t index : holders_) {
    if (tasks_[index] >= tasks_max_) continue;
    const std::uint64_t own = score(index, total_bytes);
    if (own < highest || (own == highest && wait_of(index) >= wait_of(winner))) continue;
    highest = own;
    winner = index;
  }
  return winner;
}

// A task that waits too long like this is taken back.
std::optional<std::size_t> Placer::where_data_stays() const {
  std::optional<std::size_t> found;
  for (const std::size_t index : holders_) {
    const Child& holder = children_[index];
    if (holder.bytes < kStayingBytes || holder.tasks >= kStayingTasks * holder.threads) continue;
    const auto rank = [this](std::size_t one) {
      return std::pair{children_[one].bytes, ~children_[one].tasks};
    };
    if (!found || rank(index) > rank(*found)) found = index;
  }
  return found;
}

std::size_t Placer::any_with_room() {
  std::size_t index = chaos_->below(children_.size());
  while (tasks_[index] >= tasks_max_) index = (index + 1) % children_.size();
  return index;
}

AgentId Placer::place_task(const proto::Pieces& pieces) {
  const std::size_t winner = chaos_ ? any_with_room() : best(pieces);
  task_turn_ = winner + 1 == children_.size() ? 0 : winner + 1;
  return count_in(winner);
}

AgentId Placer::count_in(std::size_t index) {
  set_tasks(index, children_[index].tasks + 1);
  children_[index].places += 1;
  return topology_.children(self_)[index];
}

AgentId Placer::place_on_idle() {
  const auto room = [](const Child& child) { return minus(child.threads, child.tasks); };
  const auto winner =
      std::max_element(children_.begin(), children_.end(),
                       [&](const Child& a, const Child& b) { return room(a) < room(b); });
  MYR_ASSERT(room(*winner) != 0);
  return count_in(static_cast<std::size_t>(winner - children_.begin()));
}

std::optional<AgentId> Placer::crowded_behind(AgentId child) const {
  for (std::size_t i = child == proto::kNoAgent ? 0 : index_of(child) + 1; i < children_.size();
       ++i) {
    if (children_[i].tasks > children_[i].threads) return topology_.children(self_)[i];
  }
  return {};
}

void Placer::set_tasks(std::size_t index, std::uint32_t count) {
  set_tasks(index, count, children_[index].threads);
}

void Placer::set_tasks(std::size_t index, std::uint32_t count, std::uint32_t threads) {
  Child& child = children_[index];
  idle_ += minus(threads, count) - minus(child.threads, child.tasks);
  crowd_ += minus(count, threads) - minus(child.tasks, child.threads);
  changes_ += 1;
  child.threads = threads;
  task_total_ += count - std::exchange(child.tasks, count);
  tasks_.set(index, tasks_that_take_room(index));
}

// A thread that has nothing to do, as its task waits, runs others on top of that one. So one whose
// wait is over may have to wait for what lies on it, and that for tasks that have no room yet.
std::uint32_t Placer::tasks_that_take_room(std::size_t index) const {
  const Child& child = children_[index];
  if (waits_on_top_ && child.waiting != 0) {
    return child.tasks - static_cast<std::uint32_t>(child.returned.size());
  }
  const bool is_for_main = keeps_off_main_ && index == main_runs_at_;
  return is_for_main ? child.tasks + kTasksAhead : child.tasks;
}

void Placer::task_left(AgentId child, proto::TaskId task, bool waits) {
  const std::size_t index = index_of(child);
  Child& left = children_[index];
  MYR_ASSERT(left.tasks > 0);
  if (task == proto::kMain) main_runs_at_ = kNobody;
  if (waits_on_top_) {
    left.waiting += waits ? 1 : 0;
    const auto found = std::find(left.returned.begin(), left.returned.end(), task);
    if (found != left.returned.end()) left.returned.erase(found);
  }
  set_tasks(index, left.tasks - 1);
}

void Placer::task_returns(AgentId worker, proto::TaskId task) {
  const std::size_t index = index_of(worker);
  Child& there = children_[index];
  if (task == proto::kMain) main_runs_at_ = index;
  if (waits_on_top_) {
    if (there.waiting != 0) there.waiting -= 1;  // else main begins
    there.returned.push_back(task);
  }
  count_in(index);
}

AgentId Placer::place_region() {
  const auto fewer = [](const Child& a, const Child& b) { return a.regions < b.regions; };
  const auto turn = children_.begin() + static_cast<std::ptrdiff_t>(region_turn_);
  auto winner = std::min_element(turn, children_.end(), fewer);
  const auto before = std::min_element(children_.begin(), turn, fewer);
  if (before != turn && fewer(*before, *winner)) winner = before;
  if (chaos_) {
    winner = children_.begin() + static_cast<std::ptrdiff_t>(chaos_->below(children_.size()));
  }
  const auto index = static_cast<std::size_t>(winner - children_.begin());
  region_turn_ = (index + 1) % children_.size();
  winner->regions += 1;
  regions_ += 1;
  return topology_.children(self_)[index];
}

void Placer::report(AgentId child, const Load& load) {
  const std::size_t index = index_of(child);
  Child& told = children_[index];
  // Tasks that are on their way there are not in the report.
  set_tasks(index, load.tasks + static_cast<std::uint32_t>(told.places - load.places),
            static_cast<std::uint32_t>(static_cast<std::int32_t>(load.tasks) + load.room));
  regions_ += load.regions - told.regions;
  told.regions = load.regions;
}

std::optional<Load> Placer::take_report(std::size_t kept) {
  const auto differs = [](std::uint64_t then, std::uint64_t present, std::uint64_t parts) {
    const std::uint64_t change = present > then ? present - then : then - present;
    return change * parts > then || (present == 0) != (then == 0);
  };
  const auto sign = [](std::int64_t room) { return (room > 0) - (room < 0); };
  const std::uint32_t waiting = crowd_ + static_cast<std::uint32_t>(kept);
  const Load load{.tasks = task_total_ + static_cast<std::uint32_t>(kept),
                  .regions = regions_,
                  .places = places_,
                  .room = static_cast<std::int32_t>(idle_ != 0 ? idle_ : 0 - waiting)};
  const std::int64_t believed_room = std::int64_t{told_.tasks} + told_.room - believed_;
  const bool is_due = differs(told_.tasks, load.tasks, 4) ||
                      differs(told_.regions, load.regions, 10) ||
                      (tells_room_ && sign(believed_room) != sign(load.room));
  if (!is_due) return {};
  told_ = load;
  believed_ = load.tasks;
  return told_;
}

const char* Placer::broken_invariant() const {
  std::uint32_t tasks = 0;
  std::uint32_t idle = 0;
  std::uint32_t crowd = 0;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    const Child& child = children_[i];
    tasks += child.tasks;
    idle += minus(child.threads, child.tasks);
    crowd += minus(child.tasks, child.threads);
    if (child.returned.size() > child.tasks) return "more tasks have returned than a child has";
    if (tasks_[i] != tasks_that_take_room(i)) return "another number of tasks takes room";
  }
  if (tasks != task_total_) return "another number of tasks is below";
  if (idle != idle_ || crowd != crowd_) return "another number of threads is idle, or wanted";
  return tasks_.broken_invariant();
}

}  // namespace myr::sched
