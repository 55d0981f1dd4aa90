// SPDX-License-Identifier: Apache-2.0
#include "check/footprints.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>

namespace myr::check {

namespace {

constexpr std::uint64_t kStack = std::uint64_t{8} << 20;  // of frames at most

std::vector<Use> uses_of(const myr_access* accesses, std::size_t count) {
  std::vector<Use> uses;
  for (std::size_t i = 0; i < count; ++i) {
    const myr_access& access = accesses[i];
    if ((access.flags & MYR_VALUE) != 0) continue;
    const bool is_written = (access.flags & MYR_OUT) != 0;
    const bool is_concurrent = (access.flags & MYR_CONCURRENT) != 0;
    const bool is_in_turns = (access.flags & MYR_COMMUTATIVE) != 0;
    const Way way = is_concurrent ? Way::Together
                    : is_in_turns ? Way::InTurns
                    : is_written  ? Way::Writes
                                  : Way::Reads;
    const bool is_weak = (access.flags & MYR_WEAK) != 0;
    const bool is_passed_on = (access.flags & MYR_NOTRANSFER) != 0;
    const bool is_held = (access.flags & MYR_HELD) != 0;
    const auto begin = reinterpret_cast<std::uint64_t>(access.address);
    if ((access.flags & MYR_REGION) != 0) {
      uses.push_back({0, 0, access.region, way, is_weak, is_passed_on, false});
    } else if (access.bytes != 0) {
      uses.push_back(
          {begin, begin + access.bytes, MYR_NO_REGION, way, is_weak, is_passed_on, is_held});
    }
  }
  return uses;
}

bool is_in_any_order(const Use& use) { return use.way == Way::InTurns || use.way == Way::Together; }

// The memory that the task reduces into: its function gets only a value, and must not use the
// memory.
base::ByteMap<bool> reduced_by(const myr_access* accesses, std::size_t count) {
  base::ByteMap<bool> reduced;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = reinterpret_cast<std::uint64_t>(accesses[i].address);
    if ((accesses[i].flags & MYR_VALUE) != 0) reduced.set(begin, begin + accesses[i].bytes, true);
  }
  return reduced;
}

}  // namespace

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

// A task that waits for another one also waits for the tasks below that one that have declared the
// same memory. What these do elsewhere is over only for tasks that wait in this way; here we take
// it as over for all.
void Footprints::wait_below(const Child& above, const std::vector<Use>& uses) {
  std::vector<Order::Id> waited_for;
  for (const Child& child : above.below) {
    if (!conflict(uses, child.uses)) continue;
    waited_for.push_back(child.task);
    wait_below(child, uses);
  }
  std::reverse(waited_for.begin(), waited_for.end());  // as it looks back
  order_.wait(above.task, std::move(waited_for));
}

std::vector<Order::Id> Footprints::siblings_before(const std::vector<Use>& uses,
                                                   std::vector<std::uint32_t>* waits) {
  const Running& parent = running_.back();
  std::vector<Order::Id> candidates;
  for (const Use& use : uses) {
    history_.visit_conflicts(use.begin, use.end, use.way, [&](auto, const History::User& user) {
      const Order::Id task = order_.child_above(user.task, parent.task);
      if (user.note == History::kDeclared && task != Order::kMain) candidates.push_back(task);
      return true;
    });
  }
  std::vector<Order::Id> found;
  const auto look_at = [&](const Child& child) {
    if (!conflict(uses, child.uses)) return;
    found.push_back(child.task);
    wait_below(child, uses);
    if (waits == nullptr) return;
    std::set<std::size_t> why;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (conflict({uses[i]}, child.uses)) why.insert(Wasted::number_of(uses, i));
    }
    if (why.size() == 1) (*waits)[*why.begin()] += 1;
  };
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
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

// Is it memory of which the running task has declared nothing, and that is in no region?
bool Footprints::is_of_own(const Use& use) const {
  if (running_.size() == 1 || use.is_region() || is_in(use.begin, MYR_ROOT)) return false;
  bool is_declared = false;
  running_.back().declared.visit(use.begin, use.end, [&](auto, auto, May) {
    is_declared = true;
    return false;
  });
  return !is_declared;
}

// Tasks that declare the same bytes as commutative run one after the other.
std::vector<Locks::Lock> Footprints::locks_of(const std::vector<Use>& uses) {
  std::vector<Locks::Lock> locks;
  for (const Use& use : uses) {
    if (use.way != Way::InTurns || use.is_weak) continue;
    locks.push_back(use.is_region() ? Locks::Lock{use.region, false, use.region + 1}
                                    : Locks::Lock{use.begin, false, use.end});
  }
  return locks;
}

void Footprints::lock(const Locks::Lock& lock) {
  Running& task = running_.back();
  task.locks = locks_.with(task.locks, lock);
  task.locks_taken += 1;
}

void Footprints::unlock(std::uint64_t id) {
  Running& task = running_.back();
  if (!locks_.has(task.locks, id)) return;  // taken before there were tasks, or by another one
  task.locks = locks_.without(task.locks, id);
  task.locks_taken -= 1;
}

bool Footprints::is_over(Order::Id earlier) const {
  const Order::Id running = running_.back().task;
  return order_.is_before(earlier, running) || handovers_.is_before(earlier, running);
}

void Footprints::enter(std::uint64_t begin, std::uint64_t end, const History::User& user,
                       bool waits) {
  history_.enter(begin, end, user, waits);
  if (stack_end_ - kStack <= begin && begin < stack_end_) {
    lowest_frame_ = std::min(lowest_frame_, begin);
  }
}

void Footprints::begin_wasted(const Running& task) {
  if (running_.size() > 1)
    std::for_each(task.uses.begin(), task.uses.end(), [&](const Use& use) { note_used(use); });
  std::vector<std::uint32_t> waits(task.uses.size());
  std::ignore = siblings_before(task.uses, &waits);
  wasted_.begin(sites_.back(), task.uses, waits);
}

// The running task has not declared in vain what one of its children declares.
void Footprints::note_used(const Use& use) {
  const std::vector<Use>& uses = running_.back().uses;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const bool is_it = uses[i].is_region() ? use.is_region() || is_in(use.begin, uses[i].region)
                                           : use.begin < uses[i].end && uses[i].begin < use.end;
    if (is_it) wasted_.touch(i, use.begin, use.end, use.way != Way::Reads);
  }
}

void Footprints::note_used(const Touch& touch) {
  if (running_.size() == 1) return;
  const Way way = touch.writes ? Way::Writes : Way::Reads;
  note_used(Use{touch.address, touch.address + touch.bytes, MYR_NO_REGION, way, false});
}

void Footprints::begin(const engine::Checker::Task& told) {
  Running task{.uses = uses_of(told.accesses, told.access_count),
               .reduced = reduced_by(told.accesses, told.access_count),
               .closure = reinterpret_cast<std::uint64_t>(told.closure),
               .closure_end = reinterpret_cast<std::uint64_t>(told.accesses),
               .stack = reinterpret_cast<std::uint64_t>(told.stack),
               .began = ++allocation_count_};
  for (const Locks::Lock& lock : locks_of(task.uses)) task.locks = locks_.with(task.locks, lock);
  Running& parent = running_.back();
  std::vector<Order::Id> before = siblings_before(task.uses, false);
  if (parent.first_of_two != Order::kMain) before.push_back(parent.first_of_two);
  task.task = order_.begin(parent.task, before, siblings_before(task.uses, true));
  parent.first_of_two = told.is_first_of_two ? task.task : Order::kMain;
  sites_.resize(task.task);  // the steps between are waits
  sites_.push_back(told.site == nullptr ? &kNowhere : told.site);
  task_count_ += 1;
  if (std::any_of(task.uses.begin(), task.uses.end(),
                  [&](const Use& use) { return is_of_own(use); })) {
    parent.own_children.push_back(task.task);
  }
  // A large one is memory of the task's own.
  allocated_.visit(task.closure, task.closure + 1, [&](auto, auto, Allocated& block) {
    block.when = ++allocation_count_;
    return false;
  });
  if (looks_for_wasted_) begin_wasted(task);
  look_at_named(task);
  enter_declared(task);
  for (const Use& use : task.uses) {
    if (!use.is_passed_on) declare(task, use);
  }
  std::copy_if(task.uses.begin(), task.uses.end(), std::back_inserter(in_any_order_),
               is_in_any_order);
  running_.push_back(std::move(task));
}

void Footprints::look_at_named(const Running& task) {
  for (std::size_t i = 1; i < task.uses.size(); ++i) {
    const Use& container = task.uses[i - 1];
    if (!task.uses[i].is_held || container.is_held || container.is_region()) continue;
    history_.visit_conflicts(
        container.begin, container.end, Way::Reads, [&](auto at, const History::User& user) {
          const bool is_declared = user.note == History::kDeclared || user.is_shared;
          if (is_declared || user.is_allocation || only_reads(user)) return true;
          if (user.task == running_.back().task || is_over(user.task)) return true;
          late_.push_back(
              {.mistake = Mistake::Named,
               .touch = {.address = container.begin, .bytes = container.end - container.begin},
               .task = sites_[task.task],
               .other = sites_[user.task],
               .other_writes = true,
               .first_wrong = at});
          return false;
        });
  }
}

void Footprints::declare(Running& task, const Use& use) {
  const May may = use.way == Way::Together ? May::Share
                  : use.way == Way::Reads  ? May::Read
                                           : May::Write;
  task.declared.change(use.begin, use.end,
                       [&](auto& piece) { piece.value = std::max(piece.value, may); });
}

void Footprints::get_passed_on(const std::vector<Use>& waited_for) {
  Running& task = running_.back();
  for (Use& use : task.uses) {
    Use all = use;
    all.way = Way::Writes;
    if (!use.is_passed_on || !conflict({all}, waited_for)) continue;
    use.is_passed_on = false;
    declare(task, use);
  }
}

bool Footprints::is_used(const Use& use, std::uint64_t address) const {
  return use.is_region() ? is_in(address, use.region) : use.begin <= address && address < use.end;
}

bool Footprints::is_used(const std::vector<Use>& uses, std::uint64_t address) const {
  return std::any_of(uses.begin(), uses.end(),
                     [&](const Use& use) { return is_used(use, address); });
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

// An access of another task there without a declaration may come at the same time; so may one that
// it has declared, if a task above one of the two has not declared it.
void Footprints::enter_declared(const Running& task) {
  for (const Use& use : task.uses) {
    history_.visit_conflicts(use.begin, use.end, use.way, [&](auto at, const History::User& user) {
      const bool is_declared = user.note == History::kDeclared || user.is_shared;
      if (user.is_allocation) return true;
      if (!is_declared && use.way == Way::Together) return true;  // when it touches it
      if (is_declared && order_.parent(user.task) == order_.parent(task.task)) return true;
      if (use.way == Way::Reads && only_reads(user)) return true;
      if (order_.is_before(user.task, task.task)) return true;
      if (is_declared && is_used_above(user.task, at)) return true;  // in any order, by those above
      if (locks_.exclude(user.locks, task.locks)) return true;
      if (handovers_.is_before(user.task, task.task)) return true;
      late_.push_back({.mistake = is_declared ? Mistake::Above : Mistake::Unordered,
                       .touch = undeclared_[user.note],  // none of what is declared
                       .task = sites_[user.task],
                       .other = sites_[task.task],
                       .other_writes = use.way != Way::Reads,
                       .first_wrong = at});
      return true;
    });
    const Way way = way_for_others(use);
    const History::User user{.task = task.task,
                             .way = way,
                             .locks = way == Way::InTurns ? task.locks : Locks::kNone,
                             .is_shared = way == Way::Together};
    enter(use.begin, use.end, user, !use.is_weak);
  }
}

// All writes below a task that uses memory in any order with others look to those others as if they
// were in any order, too.
Way Footprints::way_for_others(const Use& use) const {
  if (use.way == Way::Reads) return Way::Reads;
  const auto is_around = [&](const Use& outer) {
    return outer.is_region() ? !use.is_region() && is_in(use.begin, outer.region)
                             : outer.begin <= use.begin && use.end <= outer.end;
  };
  const auto innermost = std::find_if(in_any_order_.rbegin(), in_any_order_.rend(), is_around);
  return innermost == in_any_order_.rend() ? use.way : innermost->way;
}

void Footprints::look_at_frames(const Running& task, std::uint64_t below) {
  history_.visit_conflicts(
      below - kStack, below, Way::Writes, [&](auto at, const History::User& user) {
        if (user.task == task.task || is_over(user.task)) return true;
        late_.push_back({.mistake = Mistake::Dangling,
                         .touch = undeclared_[user.note],  // none of what is declared
                         .task = sites_[user.task],
                         .other = sites_[task.task],
                         .first_wrong = at});
        return true;
      });
  history_.forget(below - kStack, below);
  lowest_frame_ = std::max(lowest_frame_, below);
}

void Footprints::end() {
  look_at_frames(running_.back(), running_.back().stack);
  if (looks_for_wasted_) wasted_.end();
  Running task = std::move(running_.back());
  running_.pop_back();
  const auto own = std::count_if(task.uses.begin(), task.uses.end(), is_in_any_order);
  in_any_order_.erase(in_any_order_.end() - own, in_any_order_.end());
  if (task.closure != 0) history_.forget(task.closure, task.closure_end);
  // A later task may find that memory through what this one has declared, and so waits for its
  // users.
  order_.wait(task.task, task.own_children);
  if (task.has_events) order_.wait_all(task.task);
  const bool has_region =
      std::any_of(task.uses.begin(), task.uses.end(), std::mem_fn(&Use::is_region));
  Running& parent = running_.back();
  parent.to_look_through += 1;
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
    if (use.way != Way::Reads) use.way = Way::Writes;  // a waiter wants to use it alone
  }
  order_.wait(task.task, siblings_before(uses));
  std::vector<Use> weak = task.uses;
  std::erase_if(weak, [](const Use& use) { return !use.is_weak; });
  for (Use& use : weak) use.way = Way::Writes;  // whoever names the same waits for those before
  if (conflict(uses, weak)) order_.wait_for_weak(task.task);
  get_passed_on(uses);
  forget_waited_for(task);
}

// Does so only when there were so many waits and children that it costs each of them little.
void Footprints::forget_waited_for(Running& task) {
  const std::size_t count = task.children.size() + task.region_children.size();
  constexpr std::size_t kAWait = 16;
  if ((task.to_look_through += kAWait) < count) return;
  task.to_look_through = 0;
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
  get_passed_on(task.uses);
  task.children.clear();
  task.region_children.clear();
  task.own_children.clear();
  if (running_.size() > 1) return;
  order_.forget_all();
  handovers_.forget_all();
  lowest_frame_ = ~std::uint64_t{0};
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

// Another task that finds the memory, in whatever way, must come behind this one.
void Footprints::made_by_program(std::uint64_t first, std::uint64_t bytes, const void* place) {
  const Running& task = running_.back();
  if (running_.size() == 1) return;
  const History::Note note = note_of({first, bytes, true, place}, task.task);
  history_.enter(first, first + bytes,
                 {.task = task.task,
                  .way = Way::Writes,
                  .note = note,
                  .locks = task.locks,
                  .is_allocation = true});
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

}  // namespace myr::check
