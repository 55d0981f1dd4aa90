// SPDX-License-Identifier: Apache-2.0
//
// The question that footprints answer: may the running task do that?
#include <algorithm>

#include "check/footprints.hpp"

namespace myr::check {

namespace {
Way way_of(const Touch& touch) {
  if (touch.is_atomic) return Way::Together;
  return touch.writes ? Way::Writes : Way::Reads;
}
}  // namespace

bool Footprints::is_in_regions(const std::vector<Use>& uses, std::uint64_t address,
                               bool for_writing, bool also_passed_on) const {
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.is_region() && (also_passed_on || !use.is_passed_on) &&
           !(for_writing && use.way == Way::Reads) && is_in(address, use.region);
  });
}

// How far the bytes are in one of the task's frames, in what it or its children have allocated
// since it began, or in closures.
std::uint64_t Footprints::reach_of_own(std::uint64_t at, std::uint64_t stack) const {
  const Running& task = running_.back();
  if (stack <= at && at < task.stack) return task.stack;
  constexpr std::uint64_t kGranule = 16;  // of tasks
  if (memory_->is_of_tasks(reinterpret_cast<const void*>(at))) return (at | (kGranule - 1)) + 1;
  const Allocated allocated = allocated_at(at);
  const bool is_own = allocated.when > task.began || allocated.is_thread_local;
  return is_own ? allocated.block.first + allocated.block.bytes : at;
}

std::uint64_t Footprints::reach_of_object(std::uint64_t at) const {
  const Block object = block_around(at);
  return object.bytes == 0 ? at : object.first + object.bytes;
}

std::uint64_t Footprints::reach(std::uint64_t begin, std::uint64_t end, bool for_writing,
                                std::uint64_t stack) const {
  const Running& task = running_.back();
  if (running_.size() == 1) return end;  // main's is all
  std::uint64_t at = begin;
  while (at < end) {
    const std::uint64_t before = at;
    task.declared.visit(at, end, [&](auto first, auto behind, May may) {
      if (first != at || (for_writing && may == May::Read)) return false;
      at = behind;
      return true;
    });
    if (at < end) at = std::max(at, reach_of_own(at, stack));
    if (at < end && is_in_regions(task.uses, at, for_writing, false)) at = reach_of_object(at);
    if (at == before) break;
  }
  return std::min(at, end);
}

bool Footprints::allows(const Touch& touch, std::uint64_t stack) const {
  const std::uint64_t end = touch.address + touch.bytes;
  if (reach(touch.address, end, touch.writes, stack) != end || find_freed(touch)) return false;
  if (shares(touch) || find_outside(touch) || find_reduced(touch)) return false;
  return !find_conflict(touch, true) && !find_region_of_child(touch);
}

Finding Footprints::look(const Touch& touch, std::uint64_t stack) {
  const std::uint64_t end = touch.address + touch.bytes;
  if (Finding found = find_freed(touch)) return found;
  if (Finding found = find_outside(touch)) return found;
  const std::uint64_t at = reach(touch.address, end, touch.writes, stack);
  const bool is_declared = at == end;
  if (!is_declared && touch.writes && reach(at, at + 1, false, stack) != at) {
    return {.mistake = Mistake::ReadOnly,
            .touch = touch,
            .task = sites_[running_.back().task],
            .first_wrong = at};
  }
  if (Finding found = find_reduced(touch)) return found;
  if (Finding found = find_passed_on(touch, at)) return found;
  if (Finding found = find_conflict(touch, is_declared)) return found;
  if (Finding found = find_region_of_child(touch)) return found;
  if (!is_declared) return look_undeclared(touch, at);
  return shares(touch) ? look_shared(touch) : Finding();
}

Finding Footprints::find_conflict(const Touch& touch, bool is_declared, bool may_be_made) const {
  const Running& task = running_.back();
  Finding found{.touch = touch, .task = sites_[task.task], .is_declared = is_declared};
  // The runtime keeps tasks in order that have declared the same memory; one that has not declared
  // it was found when the other one began.
  if (is_declared && task.children.empty() && task.region_children.empty()) return found;
  const auto judge = [&](std::uint64_t at, const History::User& user) {
    const bool is_child = user.task != task.task && order_.is_below(user.task, task.task);
    if (user.task == task.task || (is_declared && !is_child)) return true;
    if (user.is_shared && user.note == History::kDeclared && !is_child) return true;
    if (user.is_allocation && (is_child || may_be_made)) return true;
    if (!touch.writes && (user.way == Way::Reads || only_reads(user))) return true;
    if (is_over(user.task) || locks_.exclude(user.locks, task.locks)) return true;
    found.mistake = !is_child                ? Mistake::Unordered
                    : user.way == Way::Reads ? Mistake::ChildReads
                                             : Mistake::ChildWrites;
    found.other = sites_[user.task];
    found.other_writes = user.way != Way::Reads;
    found.first_wrong = at;
    return false;
  };
  history_.visit_conflicts(touch.address, touch.address + touch.bytes, way_of(touch), judge);
  return found;
}

Finding Footprints::find_freed(const Touch& touch) const {
  Finding found{.touch = touch, .task = sites_[running_.back().task]};
  if (!has_freed_) return found;
  const std::uint64_t end = touch.address + touch.bytes;
  const auto note = [&](std::uint64_t at) {
    found.mistake = Mistake::Freed;
    found.first_wrong = at;
  };
  if (memory_->is_left(reinterpret_cast<const void*>(touch.address))) note(touch.address);
  allocated_.visit(touch.address, end, [&](auto first, auto, const Allocated& allocated) {
    if (allocated.block.freed != nullptr) note(first);
    return !found;
  });
  return found;
}

// The memory is only for children of the task: the task itself has not waited for it, or does not
// get it.
Finding Footprints::find_passed_on(const Touch& touch, std::uint64_t first) const {
  const Running& task = running_.back();
  Finding found{.touch = touch, .task = sites_[task.task], .first_wrong = first};
  if (first == touch.address + touch.bytes) return found;
  for (const Use& use : task.uses) {
    if (found || !use.is_passed_on || !is_used(use, first)) continue;
    found.mistake = Mistake::PassedOn;
    found.is_weak = use.is_weak;
  }
  return found;
}

// Objects of regions are rounded up, and an access to an object names the rounded size.
Finding Footprints::find_outside(const Touch& touch) const {
  Finding found{.touch = touch, .task = sites_[running_.back().task]};
  for (const std::uint64_t at : {touch.address, touch.address + touch.bytes - 1}) {
    if (found || !is_in(at, MYR_ROOT) || block_around(at).bytes != 0) continue;
    found.mistake = Mistake::Outside;
    found.first_wrong = at;
  }
  return found;
}

Finding Footprints::find_reduced(const Touch& touch) const {
  const Running& task = running_.back();
  Finding found{.touch = touch, .task = sites_[task.task]};
  task.reduced.visit(touch.address, touch.address + touch.bytes, [&](auto first, auto, bool) {
    found.mistake = Mistake::Reduced;
    found.first_wrong = first;
    return false;
  });
  return found;
}

// Tasks must themselves keep in order what they declare as concurrent: by locks or atomic
// operations.
bool Footprints::shares(const Touch& touch) const {
  const std::vector<Use>& uses = running_.back().uses;
  bool shares = std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.way == Way::Together && use.is_region() && is_in(touch.address, use.region);
  });
  running_.back().declared.visit(touch.address, touch.address + touch.bytes,
                                 [&](auto, auto, May may) {
                                   shares = may == May::Share;
                                   return !shares;
                                 });
  return shares;
}

Finding Footprints::look_shared(const Touch& touch) {
  const Running& task = running_.back();
  Finding found{.touch = touch, .task = sites_[task.task]};
  const auto judge = [&](std::uint64_t at, const History::User& user) {
    if (user.note == History::kDeclared || user.task == task.task) return true;
    if (!touch.writes && only_reads(user)) return true;
    if (is_over(user.task) || locks_.exclude(user.locks, task.locks)) return true;
    found.mistake = Mistake::Together;
    found.other = sites_[user.task];
    found.other_writes = user.way != Way::Reads;
    found.first_wrong = at;
    return false;
  };
  const std::uint64_t end = touch.address + touch.bytes;
  history_.visit_conflicts(touch.address, end, way_of(touch), judge);
  const History::Note note = note_of(touch, task.task);
  enter(touch.address, end, {task.task, way_of(touch), note, task.locks, true});
  return found;
}

Finding Footprints::give_back(std::uint64_t first, std::uint64_t bytes, const void* place) {
  Finding found = find_conflict({first, bytes, true, place}, false, true);
  if (found) found.mistake = Mistake::InUse;
  return found;
}

Finding Footprints::find_region_of_child(const Touch& touch) const {
  const Running& task = running_.back();
  Finding found{
      .touch = touch, .task = sites_[task.task], .is_declared = true, .first_wrong = touch.address};
  if (task.region_children.empty() || !is_in(touch.address, MYR_ROOT)) return found;
  const std::uint64_t made = allocated_at(touch.address).when;
  for (const Child& child : task.region_children) {
    if (child.ended < made || order_.is_before(child.task, task.task)) continue;
    const bool is_written = is_in_regions(child.uses, touch.address, true, true);
    if (!is_written && !(touch.writes && is_in_regions(child.uses, touch.address, false, true)))
      continue;
    found.mistake = is_written ? Mistake::ChildWrites : Mistake::ChildReads;
    found.other = sites_[child.task];
    break;
  }
  return found;
}

// One for each place in the code of a task; a call that copies has two.
History::Note Footprints::note_of(const Touch& touch, Order::Id task) {
  if (std::exchange(noting_, task) != task) notes_.clear();
  const auto [note, is_new] =
      notes_.try_emplace(reinterpret_cast<std::uint64_t>(touch.place) << 1 | (touch.writes ? 1 : 0),
                         static_cast<History::Note>(undeclared_.size()));
  if (is_new) undeclared_.push_back(touch);
  return note->second;
}

Finding Footprints::look_undeclared(const Touch& touch, std::uint64_t first) {
  const Running& task = running_.back();
  if (is_in(first, MYR_ROOT)) {
    const bool is_object = block_around(first).bytes != 0;
    return {.mistake = is_object ? Mistake::Undeclared : Mistake::Outside,
            .touch = touch,
            .task = sites_[task.task],
            .first_wrong = first};
  }
  const History::Note note = note_of(touch, task.task);
  enter(first, touch.address + touch.bytes, {task.task, way_of(touch), note, task.locks});
  return {.mistake = touch.writes ? Mistake::Alone : Mistake::ReadsAlone,
          .touch = touch,
          .task = sites_[task.task],
          .first_wrong = first};
}

}  // namespace myr::check
