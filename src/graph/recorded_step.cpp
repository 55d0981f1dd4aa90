// SPDX-License-Identifier: Apache-2.0
#include "graph/recorded_step.hpp"

#include <algorithm>
#include <unordered_set>

#include "graph/footprint.hpp"
#include "graph/resolve.hpp"
#include "graph/step_builder.hpp"

namespace myr::graph {

// For an access to a region or a part of an object that says the same.
bool RecordedStep::means_the_same(const RegionSpace& space, const AccessKey& key,
                                  const myr_access& access) const {
  const deps::RegionTree& tree = space.tree();
  const RecordedAccess& recorded = accesses_[static_cast<std::size_t>(&key - keys_.data())];
  const Target& target = recorded.target;
  if (target.kind == TargetKind::Region) return tree.is_live(key.region);
  const mem::Range object = mem::Heap::find_object(access.address);
  return reinterpret_cast<std::uint64_t>(object.first) == target.object &&
         object.bytes == recorded.object_bytes &&
         mem::Heap::block_shift_of(object.first) == target.block_shift &&
         tree.is_live(key.region) && mem::Heap::owner_of(access.address) == target.region;
}

void RecordedStep::clear() noexcept {
  tasks_.clear();
  accesses_.clear();
  keys_.clear();
  before_.clear();
  successors_.clear();
  last_.clear();
  nodes_.reset();
  counts_.reset();
  refs_.clear();
  lap_count_ = 0;
}

bool RecordedStep::note(Task& task, Task& holder, const RegionSpace& space) {
  Recorded recorded{.first_access = accesses_.size(), .access_count = task.access_count};
  myr_access* given = task.accesses();
  for (std::uint32_t i = 0; i < task.access_count; ++i) {
    RecordedAccess access;
    AccessKey key;
    key.given = length_word(given[i]);
    key.has_name = (given[i].flags & MYR_VALUE) == 0;
    if (key.has_name) key.name = reinterpret_cast<std::uint64_t>(given[i].address);
    myr_access copy = given[i];
    // An access that is wrong is reported when the task is linked.
    if (resolve(space, copy, access.target) != ResolveError::None) return false;
    const Target& target = access.target;
    if (target.kind == TargetKind::Region && target.region == deps::kRootRegion &&
        region_zero_of(space, holder) != deps::kRootRegion) {
      return false;  // the access comes to name another region when the task is linked
    }
    if (target.group == Group::Commutative) return false;  // who is first is not known beforehand
    if ((copy.flags & MYR_WEAK) != 0) return false;  // its children alone know what waits for what
    if (target.kind != TargetKind::None) {
      const Cover covered = cover(space, holder, target);
      access.top = covered.top;
      access.is_own = covered.is_own;
      if (target.region != deps::kNoRegion) {
        key.kind = AccessKey::Kind::Another;
        key.region = space.tree().id_of(target.region);
      }
    }
    if (target.kind == TargetKind::Object) {
      key.kind = AccessKey::Kind::Object;
      key.object = mem::Heap::key_of(copy.address);
    }
    if (target.object != 0) {
      access.object_bytes = mem::Heap::find_object(copy.address).bytes;
    }
    keys_.push_back(key);
    accesses_.push_back(access);
  }
  tasks_.push_back(recorded);
  return true;
}

bool RecordedStep::build(Recycler& recycler, const RegionSpace& space) {
  StepBuilder builder(*this, recycler, space);
  if (!builder.find_edges()) return false;
  find_entries();
  find_exits();
  make_nodes(builder.predecessors());
  return true;
}

namespace {

// Memory that is written as a whole.
struct Written {
  TargetKind kind;
  std::uint64_t begin;  // or the region
  std::uint64_t end;
  explicit Written(const Target& target) noexcept
      : kind(target.kind),
        begin(target.kind == TargetKind::Region ? target.region : target.begin),
        end(target.end) {}
  friend bool operator==(const Written&, const Written&) = default;
};
struct HashOf {
  std::size_t operator()(const Written& memory) const noexcept {
    return (memory.begin * 31 + memory.end) * 0x9E3779B97F4A7C15ULL >> 16;
  }
};
using WrittenSet = std::unordered_set<Written, HashOf>;

// Those that are ordered before, or behind, all else that uses the memory.
void add_writes(std::span<const RecordedAccess> accesses, WrittenSet& written) {
  for (const RecordedAccess& access : accesses) {
    const Target& target = access.target;
    if (target.kind == TargetKind::None || !target.writes || target.group != Group::None) continue;
    written.insert(Written(target));
  }
}

}  // namespace

void RecordedStep::find_entries() {
  WrittenSet written;
  for (const Recorded& task : tasks_) {
    const std::span<RecordedAccess> own(accesses_.data() + task.first_access, task.access_count);
    for (RecordedAccess& access : own) {
      access.is_entry =
          access.target.kind != TargetKind::None && !written.contains(Written(access.target));
    }
    add_writes(own, written);
  }
}

void RecordedStep::find_exits() {
  WrittenSet written;
  for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
    const std::span<RecordedAccess> own(accesses_.data() + task->first_access, task->access_count);
    for (RecordedAccess& access : own) {
      access.is_exit =
          access.target.kind != TargetKind::None && !written.contains(Written(access.target));
    }
    add_writes(own, written);
  }
}

void RecordedStep::make_nodes(const std::vector<std::vector<std::uint32_t>>& predecessors) {
  constexpr std::uint32_t kTasksAhead = 128;  // about: that a spawner may be ahead of the others
  const std::uint32_t count = size();
  lap_count_ = std::clamp(kTasksAhead / count + 1, 2U, kLapsMax);
  const std::size_t nodes = std::size_t{count} * lap_count_;
  nodes_ = std::make_unique<ReplayNode[]>(nodes);
  counts_ = std::make_unique<WaitCount[]>(nodes);
  refs_.assign(nodes, {});
  std::vector<std::size_t> first(count + 1, 0);
  for (const auto& ones : predecessors) {
    for (const std::uint32_t on : ones) first[on + 1] += 1;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (first[i + 1] == 0) last_.push_back(i);
    first[i + 1] += first[i];
  }
  successors_.resize(first[count]);
  std::vector<std::size_t> next = first;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const std::uint32_t on : predecessors[i]) {
      successors_[next[on]++] = static_cast<std::int32_t>(i - on);
    }
  }
  for (std::uint32_t lap = 0; lap < lap_count_; ++lap) {
    for (std::uint32_t i = 0; i < count; ++i) {
      ReplayNode& one = node(lap, i);
      one.waiting = &counts_[std::size_t{lap} * count + i];
      one.arrivals = static_cast<std::uint32_t>(predecessors[i].size()) + 1;
      one.keys = keys_.data() + tasks_[i].first_access;
      one.access_count = tasks_[i].access_count;
      one.successors = successors_.data() + first[i];
      one.successor_count = static_cast<std::uint32_t>(first[i + 1] - first[i]);
    }
  }
  rearm();
}

void RecordedStep::rearm() noexcept {
  for (std::size_t i = 0; i < tasks_.size() * lap_count_; ++i) {
    counts_[i].rearm(nodes_[i].arrivals);
  }
}

}  // namespace myr::graph
