// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/master.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace myr::cluster::master {

using scc::kCosts;

namespace {
constexpr deps::TaskId kWaiter = kDescriptors;  // in the table: the program itself
}

Master::Master(MasterCore& core, unsigned workers)
    : core_(core), descriptors_(kDescriptors), rings_(workers) {
  for (std::uint32_t task = kDescriptors; task != 0; --task) unused_.push_back(task - 1);
}

// ---- the running mode ---------------------------------------------------------------------------

std::uint32_t Master::take_descriptor() {
  if (unused_.empty() && !poll_until([this] { return !unused_.empty(); })) return kNoTask;
  const std::uint32_t task = unused_.back();
  unused_.pop_back();
  return task;
}

void Master::spawn(std::span<const std::uint32_t> tasks, std::uint32_t accesses,
                   std::span<const deps::BlockAccess> blocks, std::uint8_t place) {
  core_.spend(kCosts.spawn_task + blocks.size() * kCosts.spawn_block);
  const std::uint32_t holder = tasks.front();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    descriptors_[tasks[i]] = {.accesses = accesses,
                              .place = place,
                              .is_spawned = true,
                              .holder = holder,
                              .next_part = i + 1 < tasks.size() ? tasks[i + 1] : kNoTask};
  }
  descriptors_[holder].blocks = static_cast<std::uint32_t>(blocks.size());
  descriptors_[holder].parts_left = static_cast<std::uint32_t>(tasks.size());
  usage_.spawned += tasks.size();
  usage_.blocks += blocks.size();
  if (!table_.add(holder, blocks)) return;
  for (const std::uint32_t task : tasks) {
    if (append(worker_for(task), task)) continue;
    usage_.kept += 1;
    ready_.push_back(task);
  }
}

// ---- which worker -------------------------------------------------------------------------------

unsigned Master::take_turn() {
  const unsigned worker = next_worker_;
  next_worker_ = (next_worker_ + 1) % worker_count();
  return worker;
}

// Workers get tasks in turn. One with a place goes to the worker with the fewest tasks under way;
// workers elsewhere count as if they had one more.
unsigned Master::worker_for(std::uint32_t task) {
  const unsigned first = take_turn();
  const std::uint8_t place = descriptors_[task].place;
  if (place == kAnyPlace || places_.empty()) return first;
  core_.spend(kCosts.schedule);
  const auto load = [&](unsigned worker) {
    return rings_[worker].under_way + (places_[worker] == place ? 0 : 1);
  };
  unsigned best = first;
  for (unsigned i = 1; i < worker_count(); ++i) {
    const unsigned worker = (first + i) % worker_count();
    if (load(worker) < load(best)) best = worker;
  }
  return best;
}

// ---- entries ------------------------------------------------------------------------------------

// The oldest of a worker's tasks is completed.
void Master::take_completed(Ring& ring, std::uint32_t task) {
  completed_.push_back(task);
  ring.oldest = (ring.oldest + 1) % kEntries;
  ring.under_way -= 1;
}

// Takes the oldest of a worker's tasks, if it is completed.
bool Master::collect(unsigned worker) {
  Ring& ring = rings_[worker];
  if (ring.under_way == 0) return false;
  const EntryHead head = core_.look_at(worker, ring.oldest);
  if (head.state != EntryState::Completed) return false;
  take_completed(ring, head.task);
  return true;
}

// Writes the task into the worker's next entry. False: a task is there that is not completed.
bool Master::append(unsigned worker, std::uint32_t task) {
  core_.spend(kCosts.schedule);
  Ring& ring = rings_[worker];
  const EntryHead there = core_.look_at(worker, ring.next);
  if (ring.under_way == kEntries) {
    if (there.state != EntryState::Completed) return false;
    take_completed(ring, there.task);
  }
  core_.write(worker, ring.next,
              {.state = EntryState::Ready, .task = task, .accesses = descriptors_[task].accesses});
  ring.next = (ring.next + 1) % kEntries;
  ring.under_way += 1;
  return true;
}

// ---- the polling mode ---------------------------------------------------------------------------

// Each ready task goes to the next worker that has room. Returns whether one has gone.
bool Master::give_away_ready() {
  bool has_given = false;
  for (unsigned full = 0; !ready_.empty() && full < worker_count();) {
    const unsigned worker = full == 0 ? worker_for(ready_.front()) : take_turn();
    if (append(worker, ready_.front())) {
      ready_.pop_front();
      has_given = true;
      full = 0;
      continue;
    }
    full += 1;
    if (full < worker_count() || completed_.empty()) continue;
    release_one();  // all rings are full: there is time for it
    full = 0;
  }
  return has_given;
}

bool Master::poll_workers() {
  bool has_found = false;
  for (unsigned worker = 0; worker < worker_count(); ++worker) {
    while (collect(worker)) has_found = true;
  }
  return has_found;
}

bool Master::is_unfinished(std::uint32_t task) const {
  return descriptors_[task].is_spawned &&
         std::find(completed_.begin(), completed_.end(), task) == completed_.end();
}

void Master::release_one() {
  const std::uint32_t task = completed_.front();
  completed_.pop_front();
  core_.spend(kCosts.release_task);
  descriptors_[task].is_spawned = false;
  const std::uint32_t holder = descriptors_[task].holder;
  if (task != holder) unused_.push_back(task);
  if (--descriptors_[holder].parts_left != 0) return;
  core_.spend(descriptors_[holder].blocks * kCosts.release_block);
  table_.retire(holder, released_);
  unused_.push_back(holder);
  for (const deps::TaskId id : released_) {
    if (id != kWaiter) note_ready(static_cast<std::uint32_t>(id));
  }
  released_.clear();
}

void Master::note_ready(std::uint32_t holder) {
  for (std::uint32_t task = holder; task != kNoTask; task = descriptors_[task].next_part) {
    ready_.push_back(task);
  }
}

// Polls until done(). What the master has written last is sent by then, if not before: it has
// looked at the oldest entry of each worker, and where the last one is not the oldest, the worker
// has others. False: nothing is going to happen any more.
template <class Done>
bool Master::poll_until(Done done) {
  while (!done()) {
    bool has_done_something = give_away_ready();
    has_done_something = poll_workers() || has_done_something;
    has_done_something = has_done_something || !completed_.empty();
    while (!completed_.empty() && !done()) release_one();
    if (has_done_something) continue;
    if (!core_.rest([this] { return poll_workers(); })) return false;
  }
  return true;
}

bool Master::wait(std::span<const deps::BlockAccess> blocks) {
  if (table_.size() == 0) return true;
  core_.spend(kCosts.spawn_task + blocks.size() * kCosts.spawn_block);
  static_cast<void>(table_.add(kWaiter, blocks));
  const bool is_over = poll_until([this] { return table_.is_ready(kWaiter); });
  if (is_over) table_.retire(kWaiter, released_);
  MYR_ASSERT(released_.empty());  // nothing has been spawned meanwhile
  return is_over;
}

bool Master::wait_all() {
  return poll_until([this] { return table_.size() == 0; });
}

}  // namespace myr::cluster::master
