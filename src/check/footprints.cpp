// SPDX-License-Identifier: Apache-2.0
#include "check/footprints.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace myr::check {

namespace {

std::vector<Use> uses_of(const myr_access* accesses, std::size_t count) {
  constexpr unsigned kTogether = MYR_CONCURRENT | MYR_COMMUTATIVE;
  std::vector<Use> uses;
  for (std::size_t i = 0; i < count; ++i) {
    const myr_access& access = accesses[i];
    const bool is_written = (access.flags & (MYR_OUT | MYR_VALUE)) != 0;  // a value: its own sum
    const Way way = (access.flags & kTogether) != 0 ? Way::Together
                    : is_written                    ? Way::Writes
                                                    : Way::Reads;
    const bool is_weak = (access.flags & MYR_WEAK) != 0;
    const auto begin = reinterpret_cast<std::uint64_t>(access.address);
    if ((access.flags & MYR_REGION) != 0) {
      uses.push_back({0, 0, access.region, way, is_weak});
    } else if (access.bytes != 0) {
      uses.push_back({begin, begin + access.bytes, MYR_NO_REGION, way, is_weak});
    }
  }
  return uses;
}

Way way_of(const Touch& touch) {
  if (touch.is_atomic) return Way::Together;
  return touch.writes ? Way::Writes : Way::Reads;
}

}  // namespace

// ---- what is told -------------------------------------------------------------------------------

bool Footprints::conflicts(const Use& one, const Use& other) const {
  if (!ways_conflict(one.way, other.way)) return false;
  if (one.is_region() && other.is_region()) {
    return memory_->encloses(one.region, other.region) ||
           memory_->encloses(other.region, one.region);
  }
  if (one.is_region()) return is_in(other.begin, one.region);
  if (other.is_region()) return is_in(one.begin, other.region);
  return one.begin < other.end && other.begin < one.end;
}

bool Footprints::conflict(const std::vector<Use>& some, const std::vector<Use>& others) const {
  return std::any_of(some.begin(), some.end(), [&](const Use& one) {
    return std::any_of(others.begin(), others.end(),
                       [&](const Use& other) { return conflicts(one, other); });
  });
}

// Who waits for a task waits for those below it that have declared the same, too. For what they do
// elsewhere that is so for those only who wait in this way; here for all.
void Footprints::wait_below(const Child& above, const std::vector<Use>& uses) {
  for (const Child& child : above.below) {
    if (!conflict(uses, child.uses)) continue;
    order_.wait(above.task, {child.task});
    wait_below(child, uses);
  }
}

std::vector<Order::Id> Footprints::siblings_before(const std::vector<Use>& uses) {
  const Running& parent = running_.back();
  std::vector<Order::Id> candidates;
  for (const Use& use : uses) {
    history_.visit_conflicts(use.begin, use.end, use.way, [&](auto, const History::User& user) {
      Order::Id task = user.task;
      while (task != Order::kMain && order_.parent(task) != parent.task) task = order_.parent(task);
      if (user.note == History::kDeclared && task != Order::kMain) candidates.push_back(task);
      return true;
    });
  }
  std::vector<Order::Id> found;
  const auto look_at = [&](const Child& child) {
    if (!conflict(uses, child.uses)) return;
    found.push_back(child.task);
    wait_below(child, uses);
  };
  const auto is_earlier = [](const Child& child, Order::Id task) { return child.task < task; };
  for (const Order::Id task : candidates) {
    const auto& children = parent.children;
    const auto child = std::lower_bound(children.begin(), children.end(), task, is_earlier);
    if (child != children.end() && child->task == task) look_at(*child);
  }
  for (const Child& child : parent.region_children) look_at(child);
  if (std::any_of(uses.begin(), uses.end(), std::mem_fn(&Use::is_region))) {
    for (const Child& child : parent.children) look_at(child);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<Order::Id> Footprints::siblings_before(std::vector<Use> uses, bool are_weak) {
  std::erase_if(uses, [&](const Use& use) { return use.is_weak != are_weak; });
  return siblings_before(uses);
}

// Memory of which the running task has declared nothing, and that is in no region.
bool Footprints::is_of_own(const Use& use) const {
  if (running_.size() == 1 || use.is_region() || is_in(use.begin, MYR_ROOT)) return false;
  bool is_declared = false;
  running_.back().declared.visit(use.begin, use.end, [&](auto, auto, bool) {
    is_declared = true;
    return false;
  });
  return !is_declared;
}

void Footprints::begin(const engine::Checker::Task& told) {
  Running task{.uses = uses_of(told.accesses, told.access_count),
               .stack = reinterpret_cast<std::uint64_t>(told.stack),
               .began = ++allocation_count_};
  Running& parent = running_.back();
  task.task = order_.begin(parent.task, siblings_before(task.uses, false),
                           siblings_before(task.uses, true));
  sites_.resize(task.task);  // the steps between are waits
  sites_.push_back(told.site == nullptr ? &kNowhere : told.site);
  task_count_ += 1;
  if (std::any_of(task.uses.begin(), task.uses.end(),
                  [&](const Use& use) { return is_of_own(use); })) {
    parent.own_children.push_back(task.task);
  }
  const auto closure = reinterpret_cast<std::uint64_t>(told.closure);
  const auto behind = reinterpret_cast<std::uint64_t>(told.accesses);
  if (closure != 0) history_.forget(closure, behind);  // of a task that had the memory before
  allocated_.visit(closure, closure + 1, [&](auto, auto, Allocated& block) {
    block.when = ++allocation_count_;  // a large one: it is the task's
    return false;
  });
  enter_declared(task);
  for (const Use& use : task.uses) {
    if (use.is_weak) continue;
    task.declared.change(use.begin, use.end,
                         [&](auto& piece) { piece.value |= use.way != Way::Reads; });
  }
  running_.push_back(std::move(task));
}

bool Footprints::is_used(const std::vector<Use>& uses, std::uint64_t address) const {
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.is_region() ? is_in(address, use.region) : use.begin <= address && address < use.end;
  });
}

bool Footprints::is_used_above(Order::Id task, std::uint64_t address) const {
  std::vector<Order::Id> way{order_.parent(task)};  // of those that have ended, innermost first
  const auto running = [&] {
    return std::find_if(running_.begin(), running_.end(),
                        [&](const Running& one) { return one.task == way.back(); });
  };
  while (running() == running_.end()) way.push_back(order_.parent(way.back()));
  const auto common = running();
  way.pop_back();
  const auto uses_it = [&](const Running& one) { return is_used(one.uses, address); };
  if (!std::all_of(common + 1, running_.end(), uses_it)) return false;
  const std::vector<Child>* children = &common->children;
  for (; !way.empty(); way.pop_back()) {
    const auto is_it = [&](const Child& child) { return child.task == way.back(); };
    auto child = std::find_if(children->begin(), children->end(), is_it);
    if (child == children->end() && children == &common->children) {
      children = &common->region_children;
      child = std::find_if(children->begin(), children->end(), is_it);
    }
    if (child == children->end()) return true;  // it is not known any more
    if (!is_used(child->uses, address)) return false;
    children = &child->below;
  }
  return true;
}

// What another one has done there without a declaration may come at the same time; what it has
// declared does so, too, if a task above one of the two has not.
void Footprints::enter_declared(const Running& task) {
  for (const Use& use : task.uses) {
    history_.visit_conflicts(use.begin, use.end, use.way, [&](auto at, const History::User& user) {
      const bool is_declared = user.note == History::kDeclared;
      if (is_declared && order_.parent(user.task) == order_.parent(task.task)) return true;
      if (order_.is_before(user.task, task.task)) return true;
      if (is_declared && is_used_above(user.task, at)) return true;  // in any order, by those above
      late_.push_back({.mistake = is_declared ? Mistake::Above : Mistake::Unordered,
                       .touch = undeclared_[user.note],  // none of what is declared
                       .task = sites_[user.task],
                       .other = sites_[task.task],
                       .other_writes = use.way != Way::Reads,
                       .first_wrong = at});
      return true;
    });
    history_.enter(use.begin, use.end, {task.task, way_for_others(use)}, !use.is_weak);
  }
}

// Below a task that uses memory together with others, all writes are done so, as far as these see.
Way Footprints::way_for_others(const Use& use) const {
  if (use.way == Way::Reads) return Way::Reads;
  const auto is_together = [&](const Running& above) {
    return std::any_of(above.uses.begin(), above.uses.end(), [&](const Use& outer) {
      if (outer.way != Way::Together) return false;
      return outer.is_region() ? !use.is_region() && is_in(use.begin, outer.region)
                               : outer.begin <= use.begin && use.end <= outer.end;
    });
  };
  return std::any_of(running_.begin(), running_.end(), is_together) ? Way::Together : use.way;
}

void Footprints::look_at_frames(const Running& task) {
  constexpr std::uint64_t kMost = std::uint64_t{8} << 20;
  history_.visit_conflicts(
      task.stack - kMost, task.stack, Way::Writes, [&](auto at, const History::User& user) {
        if (order_.is_before(user.task, task.task)) return true;
        late_.push_back({.mistake = Mistake::Dangling,
                         .touch = undeclared_[user.note],  // none of what is declared
                         .task = sites_[user.task],
                         .other = sites_[task.task],
                         .first_wrong = at});
        return true;
      });
  history_.forget(task.stack - kMost, task.stack);
}

void Footprints::end() {
  look_at_frames(running_.back());
  Running task = std::move(running_.back());
  running_.pop_back();
  // What comes after it may find that memory through what it has declared, and waits for its users.
  order_.wait(task.task, task.own_children);
  if (task.has_events) order_.wait_all(task.task);
  const bool has_region =
      std::any_of(task.uses.begin(), task.uses.end(), std::mem_fn(&Use::is_region));
  Running& parent = running_.back();
  std::vector<Child> below = std::move(task.children);
  below.insert(below.end(), std::make_move_iterator(task.region_children.begin()),
               std::make_move_iterator(task.region_children.end()));
  auto& children = has_region ? parent.region_children : parent.children;
  children.push_back({.task = task.task,
                      .uses = std::move(task.uses),
                      .ended = ++allocation_count_,
                      .below = std::move(below)});
}

void Footprints::wait(const myr_access* accesses, std::size_t count) {
  Running& task = running_.back();
  std::vector<Use> uses = uses_of(accesses, count);
  for (Use& use : uses) {
    if (use.way == Way::Together) use.way = Way::Writes;  // who waits wants to use it alone
  }
  order_.wait(task.task, siblings_before(uses));
  std::vector<Use> weak = task.uses;
  std::erase_if(weak, [](const Use& use) { return !use.is_weak; });
  for (Use& use : weak) use.way = Way::Writes;  // whoever names the same waits for those before
  if (conflict(uses, weak)) order_.wait_for_weak(task.task);
  forget_waited_for(task);
}

// Only when so many waits have come that it costs each of them little.
void Footprints::forget_waited_for(Running& task) {
  const std::size_t count = task.children.size() + task.region_children.size();
  constexpr std::size_t kAWait = 16;
  if ((task.looked_through += kAWait) < count) return;
  task.looked_through = 0;
  const std::function<bool(const Child&)> is_over = [&](const Child& child) {
    return order_.is_before(child.task, task.task) &&
           std::all_of(child.below.begin(), child.below.end(), is_over);
  };
  std::erase_if(task.children, is_over);
  std::erase_if(task.region_children, is_over);
  if (task.children.empty() && task.region_children.empty()) wait_all();
}

void Footprints::wait_all() {
  Running& task = running_.back();
  order_.wait_for_weak(task.task);
  order_.wait_all(task.task);
  task.children.clear();
  task.region_children.clear();
  task.own_children.clear();
  if (running_.size() > 1) return;
  order_.forget_all();
  history_.clear();
  sites_.resize(1);
  undeclared_.resize(1);
  notes_.clear();
}

void Footprints::allocated(std::uint64_t first, std::uint64_t bytes, const Places* places,
                           const myr_site* site) {
  gone(first, bytes);
  allocated_.set(first, first + bytes, {++allocation_count_, {first, bytes, places, site}});
}

void Footprints::gone(std::uint64_t first, std::uint64_t bytes) {
  allocated_.erase(first, first + bytes);
  history_.forget(first, first + bytes);
}

void Footprints::freed(std::uint64_t first, const myr_site* site) {
  has_freed_ = true;
  if (first == 0) return;
  const Block object = block_around(first);
  allocated_.change(first, first + object.bytes,
                    [&](auto& piece) { piece.value.block.freed = site; });
  history_.forget(first, first + object.bytes);
}

Footprints::Allocated Footprints::allocated_at(std::uint64_t address) const {
  Allocated found;
  allocated_.visit(address, address + 1, [&](auto, auto, const Allocated& allocated) {
    found = allocated;
    return false;
  });
  return found;
}

void Footprints::note_thread_local(const Block& block) {
  allocated_.change(block.first, block.first + block.bytes,
                    [](auto& piece) { piece.value.is_thread_local = true; });
  history_.forget(block.first, block.first + block.bytes);
}

// ---- what is asked ------------------------------------------------------------------------------

bool Footprints::is_in_regions(const std::vector<Use>& uses, std::uint64_t address,
                               bool for_writing, bool also_weak) const {
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.is_region() && (also_weak || !use.is_weak) &&
           !(for_writing && use.way == Way::Reads) && is_in(address, use.region);
  });
}

// Of one of its frames, of what it or its children have made since it began, or of closures.
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
    task.declared.visit(at, end, [&](auto first, auto behind, bool is_writable) {
      if (first != at || (for_writing && !is_writable)) return false;
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
  return !find_conflict(touch, true) && !find_region_of_child(touch);
}

Finding Footprints::look(const Touch& touch, std::uint64_t stack) {
  const std::uint64_t end = touch.address + touch.bytes;
  if (memory_->is_of_tasks(reinterpret_cast<const void*>(touch.address))) return {};
  if (Finding found = find_freed(touch)) return found;
  const std::uint64_t at = reach(touch.address, end, touch.writes, stack);
  const bool is_declared = at == end;
  if (!is_declared && touch.writes && reach(at, at + 1, false, stack) != at) {
    return {.mistake = Mistake::ReadOnly,
            .touch = touch,
            .task = sites_[running_.back().task],
            .first_wrong = at};
  }
  if (Finding found = find_conflict(touch, is_declared)) return found;
  if (Finding found = find_region_of_child(touch)) return found;
  return is_declared ? Finding() : look_undeclared(touch, at);
}

bool Footprints::is_below(Order::Id task, Order::Id other) const {
  while (task != Order::kMain && task != other) task = order_.parent(task);
  return task == other;
}

Finding Footprints::find_conflict(const Touch& touch, bool is_declared) const {
  const Running& task = running_.back();
  Finding found{.touch = touch, .task = sites_[task.task]};
  // The runtime keeps what two tasks have declared in order; who has not declared it has been found
  // when the other one began.
  if (is_declared && task.children.empty() && task.region_children.empty()) return found;
  const auto judge = [&](std::uint64_t at, const History::User& user) {
    const bool is_child = user.task != task.task && is_below(user.task, task.task);
    if (user.task == task.task || (is_declared && !is_child)) return true;
    // Atomic operations keep others in order, perhaps; but not the tasks that declare the bytes.
    const bool is_noted = user.note != History::kDeclared;
    if (is_noted && (touch.is_atomic || undeclared_[user.note].is_atomic)) return true;
    if ((is_child && touch.is_atomic) || order_.is_before(user.task, task.task)) return true;
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

Finding Footprints::find_region_of_child(const Touch& touch) const {
  const Running& task = running_.back();
  Finding found{.touch = touch, .task = sites_[task.task], .first_wrong = touch.address};
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
  history_.enter(first, touch.address + touch.bytes, {task.task, way_of(touch), note});
  if (!touch.writes) return {};
  return {
      .mistake = Mistake::Alone, .touch = touch, .task = sites_[task.task], .first_wrong = first};
}

}  // namespace myr::check
