// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <algorithm>

namespace myr::random_test {

void Frame::on_spawn(const Access& access, unsigned time) {
  log_.push_back({false, false, access, time});
}
void Frame::on_wait(const Access& access, unsigned time) {
  log_.push_back({true, false, access, time});
}
void Frame::on_wait_all(unsigned time) { log_.push_back({true, true, {}, time}); }

std::vector<Access> Frame::reachable() const {
  std::vector<Access> result;
  for (const Access& held : footprint_) {
    if (!held.target.is_region) {
      result.push_back(held);
      continue;
    }
    for (unsigned r = 0; r < world_.region_count(); ++r) {
      const bool inside = world_.region_alive(r) && world_.region_inside(r, held.target.index);
      const Target target = world_.region_target(r);
      if (!inside || !knows(target, world_.region_birth(r), world_.parent(r), held)) continue;
      result.push_back({target, held.mode, held.no_transfer, Way::Usual, held.is_weak});
    }
    for (unsigned o = 0; o < world_.object_count(); ++o) {
      const Target target = world_.object_target(o);
      if (!world_.object_alive(o) || !world_.covers(held.target, target)) continue;
      if (!knows(target, world_.object_birth(o), world_.object(o).region, held)) continue;
      result.push_back({target, held.mode, held.no_transfer, Way::Usual, held.is_weak});
    }
  }
  return result;
}

// A child's creation is known once the task has waited for the region around it. So is one of an
// earlier task, by a task that holds the memory weakly, unless the parent could name it.
bool Frame::knows(const Target& target, Birth birth, unsigned home, const Access& held) const {
  if (birth.task == task_) return true;
  const bool is_earlier = birth.time < start_;
  if (is_earlier && (!held.is_weak || parent_->can_name(target))) return true;
  return std::any_of(log_.begin(), log_.end(), [&](const Event& event) {
    if (!event.is_wait || event.time < birth.time) return false;
    const bool is_for_children = event.is_everything && !is_earlier;
    return is_for_children || world_.covers(event.access.target, world_.region_target(home));
  });
}

bool Frame::can_name(const Target& target) const {
  const std::vector<Access> all = reachable();
  return std::any_of(all.begin(), all.end(), [&](const Access& access) {
    return access.target.is_region == target.is_region && access.target.index == target.index;
  });
}

// Has the task waited, since this spawn, so that it may touch `target` as far as this child goes?
// After a wait for `in`, the child's own children may still read.
bool Frame::settled(const Event& spawn, const Target& target, Mode mode) const {
  return std::any_of(log_.begin(), log_.end(), [&](const Event& event) {
    if (!event.is_wait || event.time < spawn.time) return false;
    if (event.is_everything) return true;
    return world_.covers(event.access.target, target) &&
           (writes(event.access.mode) || !writes(mode));
  });
}

bool Frame::may_touch(const Target& target, Mode mode) const {
  if (!holds_data(target, mode)) return false;
  const Birth birth = world_.object_birth(target.index);
  return std::none_of(log_.begin(), log_.end(), [&](const Event& event) {
    if (event.is_wait || !world_.overlaps(event.access.target, target)) return false;
    if (!writes(event.access.mode) && !writes(mode)) return false;
    if (birth.task == task_ && event.time < birth.time) return false;  // that child cannot know it
    return !settled(event, target, mode);
  });
}

bool Frame::holds_data(const Target& target, Mode mode) const {
  return std::any_of(footprint_.begin(), footprint_.end(), [&](const Access& held) {
    return !held.no_transfer && world_.covers(held.target, target) &&
           (writes(held.mode) || !writes(mode));
  });
}

Way Frame::way_of(const Target& target) const {
  Way way = Way::Usual;
  for (const Access& held : footprint_) {
    if (world_.overlaps(held.target, target)) way = std::max(way, held.way);
  }
  return way;
}

// In a group, each would have to know what others have made or freed before.
bool Frame::may_allocate_in(unsigned region) const {
  const Target target = world_.region_target(region);
  return holds_data(target, Mode::InOut) && way_of(target) == Way::Usual;
}

bool Frame::may_free(const Target& target) const {
  const unsigned around =
      target.is_region ? world_.parent(target.index) : world_.object(target.index).region;
  return around != kNoRegion && (!target.is_region || target.index != kRootRegion) &&
         may_allocate_in(around) && !is_argument_here_or_above(target);
}

bool Frame::is_argument_here_or_above(const Target& target) const {
  for (const Frame* frame = this; frame != nullptr; frame = frame->parent_) {
    for (const Access& held : frame->footprint_) {
      if (held.target.is_region ? world_.covers(target, held.target)
                                : world_.overlaps(target, held.target)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace myr::random_test
