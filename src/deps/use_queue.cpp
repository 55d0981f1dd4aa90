// SPDX-License-Identifier: Apache-2.0
#include "deps/use_queue.hpp"

#include <utility>

#include "base/contract.hpp"

namespace myr::deps {

UseQueue::Entry& UseQueue::Pool::take() {
  if (unused_ == nullptr) return entries_.emplace_back();
  return *std::exchange(unused_, unused_->behind);
}

void UseQueue::Pool::give(Entry& entry) {
  entry = {};
  entry.behind = std::exchange(unused_, &entry);
}

UseQueue::Entry& UseQueue::insert(Pool& pool, const Use& use, NodeId target, Entry* place) {
  Entry& entry = link(pool, use, place);
  entry.target = target;
  return entry;
}

UseQueue::Entry& UseQueue::insert(Pool& pool, const Use& use, Ways ways, Entry* place) {
  Entry& entry = link(pool, use, place);
  entry.ways = std::make_unique<Ways>(std::move(ways));
  return entry;
}

UseQueue::Entry& UseQueue::link(Pool& pool, const Use& use, Entry* place) {
  Entry& entry = pool.take();
  entry.use = use;
  entry.behind = place;
  entry.ahead = std::exchange(place == nullptr ? last_ : place->ahead, &entry);
  (entry.ahead == nullptr ? first_ : entry.ahead->behind) = &entry;
  write_count_ += use.mode == Mode::Write ? 1 : 0;
  return entry;
}

void UseQueue::erase(Pool& pool, Entry& entry) {
  (entry.ahead == nullptr ? first_ : entry.ahead->behind) = entry.behind;
  (entry.behind == nullptr ? last_ : entry.behind->ahead) = entry.ahead;
  write_count_ -= entry.use.mode == Mode::Write ? 1 : 0;
  if (entry.granted) {
    (entry.last_granted == nullptr ? granted_ : entry.last_granted->next_granted) =
        entry.next_granted;
    if (entry.next_granted != nullptr) entry.next_granted->last_granted = entry.last_granted;
    granted_count_ -= 1;
    granted_write_count_ -= entry.use.mode == Mode::Write ? 1 : 0;
    if (by_task_ != nullptr) by_task_->erase(entry.use.task);
    if (granted_count_ == 0) by_task_.reset();
  }
  pool.give(entry);
}

void UseQueue::note_granted(Entry& entry) {
  MYR_DCHECK(entry.ends_here() && !entry.granted);
  entry.granted = true;
  const Entry* const ahead = entry.ahead;
  granted_write_count_ += entry.use.mode == Mode::Write ? 1 : 0;
  entry.with_writes = entry.use.mode == Mode::Write ||
                      (ahead != nullptr && ahead->with_writes && has_granted_writes());
  entry.with_others = !entry.use.is_part() ||
                      (ahead != nullptr && (ahead->with_others || !entry.is_part_beside(*ahead)));
  entry.next_granted = granted_;
  if (granted_ != nullptr) granted_->last_granted = &entry;
  granted_ = &entry;
  granted_count_ += 1;
  if (by_task_ != nullptr) {
    by_task_->try_emplace(entry.use.task, &entry);
  } else if (granted_count_ > kSearchMax) {
    by_task_ = std::make_unique<base::StableMap<Entry*>>();
    for (Entry* one = granted_; one != nullptr; one = one->next_granted) {
      by_task_->try_emplace(one->use.task, one);
    }
  }
}

UseQueue::Entry* UseQueue::find(TaskId task) const noexcept {
  if (by_task_ != nullptr) {
    Entry* const* const found = by_task_->find(task);
    return found == nullptr ? nullptr : *found;
  }
  Entry* entry = granted_;
  while (entry != nullptr && entry->use.task != task) entry = entry->next_granted;
  return entry;
}

const char* UseQueue::broken_invariant() const noexcept {
  std::uint32_t writes = 0;
  std::uint32_t granted = 0;
  std::uint32_t granted_writes = 0;
  const Entry* last = nullptr;
  for (const Entry* entry = first_; entry != nullptr; last = entry, entry = entry->behind) {
    if (entry->ahead != last) return "a link ahead is not the way back";
    const bool is_write = entry->use.mode == Mode::Write;
    writes += is_write ? 1 : 0;
    if (!entry->granted) continue;
    if (find(entry->use.task) != entry) return "a granted access is not found by its task";
    granted += 1;
    granted_writes += is_write ? 1 : 0;
  }
  if (last != last_) return "the last access is not the last";
  if (writes != write_count_) return "another number of writers is counted";
  if (granted != granted_count_) return "another number of granted accesses is counted";
  if (granted_writes != granted_write_count_) return "another number of granted writers is counted";
  return nullptr;
}

}  // namespace myr::deps
