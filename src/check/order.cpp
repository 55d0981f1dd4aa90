// SPDX-License-Identifier: Apache-2.0
#include "check/order.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace myr::check {

// Myers, An applicative random-access stack (1983): two leaps of one length make one of the double.
Order::Id Order::far_above_child_of(Id parent) const noexcept {
  const Step& one = steps_[parent];
  const Step& two = steps_[one.far_above];
  const bool are_alike = one.depth - two.depth == two.depth - steps_[two.far_above].depth;
  return are_alike ? two.far_above : parent;
}

Order::Id Order::ancestor(Id task, std::uint32_t depth) const noexcept {
  while (steps_[task].depth > depth) {
    const Step& step = steps_[task];
    task = steps_[step.far_above].depth >= depth ? step.far_above : step.parent;
  }
  return task;
}

Order::Id Order::add(Id parent, const std::vector<Id>& before, const std::vector<Id>& weak) {
  const auto is_sibling = [&](Id step) { return steps_[step].parent == parent && step != kMain; };
  MYR_ASSERT(std::all_of(before.begin(), before.end(), is_sibling));
  MYR_ASSERT(std::all_of(weak.begin(), weak.end(), is_sibling));
  Step step{.parent = parent,
            .far_above = far_above_child_of(parent),
            .depth = steps_[parent].depth + 1,
            .first_edge = edges_.size()};
  edges_.insert(edges_.end(), before.begin(), before.end());
  if (steps_[parent].last_wait != kNone) edges_.push_back(steps_[parent].last_wait);
  edges_.insert(edges_.end(), weak.begin(), weak.end());
  step.edge_count = static_cast<std::uint32_t>(edges_.size() - step.first_edge);
  step.weak_count = static_cast<std::uint32_t>(weak.size());
  steps_.push_back(step);
  return static_cast<Id>(steps_.size() - 1);
}

Order::Id Order::begin(Id parent, const std::vector<Id>& siblings, const std::vector<Id>& weak) {
  return add(parent, siblings, weak);
}

void Order::wait(Id parent, std::vector<Id> children) {
  std::erase_if(children, [&](Id child) { return has_waited(parent, child) != Reach::None; });
  if (children.empty()) return;
  const Id wait = add(parent, children);
  steps_[parent].last_wait = wait;
}

void Order::wait_all(Id parent) {
  const Id wait = add(parent, {});
  steps_[wait].is_for_all = true;
  steps_[parent].last_wait = wait;
}

void Order::wait_for_weak(Id task) {
  steps_[task].weak_count = 0;
  search_.from = kNone;
}

void Order::forget_all() {
  steps_.resize(1);
  steps_.front() = {};
  edges_.clear();
  search_ = {.number = search_.number};
}

Order::Reach Order::has_waited(Id task, Id child) const {
  const Id wait = steps_[task].last_wait;
  return wait == kNone ? Reach::None : reach(wait, child);
}

// REQUIRES: they are steps of one parent.
Order::Reach Order::reach(Id later, Id earlier, bool is_weak) const {
  MYR_ASSERT(steps_[later].parent == steps_[earlier].parent);
  if (earlier >= later) return Reach::None;
  found_by_.resize(steps_.size());
  if (search_.from != later || search_.is_weak != is_weak) {
    search_ = {.from = later, .is_weak = is_weak, .number = search_.number + 1};
    look_at(later, is_weak);
  }
  while (!search_.to_look_at.empty() && search_.to_look_at.top() > earlier) {
    const Id step = search_.to_look_at.top();
    search_.to_look_at.pop();
    look_at(step, true);
  }
  if (earlier < search_.all_below) return Reach::WithAllBelow;
  return found_by_[earlier] == search_.number ? Reach::Step : Reach::None;
}

void Order::look_at(Id id, bool is_weak) const {
  const Step& step = steps_[id];
  if (id < search_.all_below) return;
  if (step.is_for_all) search_.all_below = id;
  const std::size_t count = step.edge_count - (is_weak ? 0 : step.weak_count);
  for (std::size_t i = step.first_edge; i != step.first_edge + count; ++i) {
    const Id before = edges_[i];
    if (found_by_[before] == search_.number) continue;
    found_by_[before] = search_.number;
    search_.to_look_at.push(before);
  }
}

// At the common ancestor of the two, either one task is the ancestor of the other, or there are two
// siblings. Children of a task may go on after it has ended, if it has not waited for them.
bool Order::is_before(Id earlier, Id running) const {
  Id above = ancestor(running, steps_[earlier].depth);  // of the running one's way to main
  if (above == earlier) return true;                    // it has spawned it since
  bool is_over = true;  // what `earlier` has done, as far as it is asked for
  const auto come_by = [&](Reach reach) {
    is_over = reach == Reach::WithAllBelow || (is_over && reach == Reach::Step);
  };
  const auto climb = [&] {
    const Id child = earlier;
    earlier = steps_[earlier].parent;
    come_by(has_waited(earlier, child));
  };
  while (steps_[earlier].depth > steps_[above].depth) climb();
  if (earlier == running) return is_over;
  while (steps_[earlier].parent != steps_[above].parent) {
    climb();
    above = steps_[above].parent;
  }
  come_by(reach(above, earlier, above != running));
  return is_over;
}

}  // namespace myr::check
