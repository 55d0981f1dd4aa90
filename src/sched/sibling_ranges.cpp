// SPDX-License-Identifier: Apache-2.0
#include "sched/sibling_ranges.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace myr::sched {

using proto::TaskId;
using proto::UnmanagedRange;

namespace {

std::uint64_t end_of(const UnmanagedRange& range) { return range.address + range.bytes; }

}  // namespace

bool SiblingRanges::enter(const proto::Task& task) {
  if (task.unmanaged.empty()) return false;
  const Child& child = *children_.try_emplace(task.id, task.program).first;
  for (const UnmanagedRange& range : task.unmanaged) {
    if (range.bytes == 0) continue;
    split(range.address);
    split(end_of(range));
    if (range.mode == proto::Mode::Write) {
      write(range, task.id);
    } else {
      read(range, task.id);
    }
  }
  if (fragments_.size() > sweep_at_) sweep();
  return child.missing != 0;
}

// What lay in the range is one fragment now.
void SiblingRanges::write(const UnmanagedRange& range, TaskId child) {
  const auto first = fragments_.lower_bound(range.address);
  auto last = first;
  for (; last != fragments_.end() && last->first < end_of(range); ++last) {
    wait_for(last->second.writer, child);
    for (const TaskId reader : last->second.readers) wait_for(reader, child);
  }
  const auto behind = fragments_.erase(first, last);
  fragments_.emplace_hint(behind, range.address, Fragment{.end = end_of(range), .writer = child});
}

void SiblingRanges::read(const UnmanagedRange& range, TaskId child) {
  cover_gaps(range.address, end_of(range));
  auto at = fragments_.lower_bound(range.address);
  for (; at != fragments_.end() && at->first < end_of(range); ++at) {
    wait_for(at->second.writer, child);
    add_reader(at->second, child);
  }
}

// Once, though the child may meet the same elder in many fragments.
void SiblingRanges::wait_for(TaskId elder, TaskId child) {
  Child* const found = children_.find(elder);
  if (found == nullptr || elder == child) return;
  if (!found->successors.empty() && found->successors.back() == child) return;
  found->successors.push_back(child);
  children_.at(child).missing += 1;
}

void SiblingRanges::split(std::uint64_t address) {
  const auto behind = fragments_.upper_bound(address);
  if (behind == fragments_.begin()) return;
  auto& [begin, fragment] = *std::prev(behind);
  if (begin == address || fragment.end <= address) return;
  forget_completed_readers(fragment);
  fragments_.emplace_hint(behind, address, fragment);
  fragment.end = address;
}

void SiblingRanges::cover_gaps(std::uint64_t begin, std::uint64_t end) {
  auto at = fragments_.lower_bound(begin);
  while (begin < end) {
    if (at == fragments_.end() || at->first > begin) {
      const std::uint64_t gap_end = at == fragments_.end() ? end : std::min(end, at->first);
      at = fragments_.emplace_hint(at, begin, Fragment{.end = gap_end});
    }
    begin = at->second.end;
    ++at;
  }
}

// The list is looked through only after as many readers have come as were left the last time.
void SiblingRanges::add_reader(Fragment& fragment, TaskId child) {
  std::vector<TaskId>& readers = fragment.readers;
  if (readers.size() == readers.capacity()) {
    forget_completed_readers(fragment);
    readers.reserve(2 * readers.size() + 1);
  }
  readers.push_back(child);
}

void SiblingRanges::forget_completed_readers(Fragment& fragment) const {
  std::erase_if(fragment.readers, [&](TaskId reader) { return !children_.contains(reader); });
}

// Looks at readers that have completed no second time.
bool SiblingRanges::is_in_use(Fragment& fragment) const {
  std::vector<TaskId>& readers = fragment.readers;
  while (!readers.empty() && !children_.contains(readers.back())) readers.pop_back();
  return !readers.empty() || children_.contains(fragment.writer);
}

void SiblingRanges::sweep() {
  for (auto at = fragments_.begin(); at != fragments_.end();) {
    at = is_in_use(at->second) ? std::next(at) : fragments_.erase(at);
  }
  sweep_at_ = kSweepMin + 2 * fragments_.size();
}

std::optional<std::uint64_t> SiblingRanges::user_of(const UnmanagedRange& range) const {
  auto at = fragments_.upper_bound(range.address);
  if (at != fragments_.begin()) --at;
  for (; at != fragments_.end() && at->first < end_of(range); ++at) {
    const Fragment& fragment = at->second;
    if (fragment.end <= range.address) continue;
    if (const Child* const writer = children_.find(fragment.writer)) return writer->program;
    for (const TaskId id : fragment.readers) {
      if (const Child* const reader = children_.find(id)) return reader->program;
    }
  }
  return {};
}

std::vector<TaskId> SiblingRanges::complete(TaskId child) {
  Child* const found = children_.find(child);
  if (found == nullptr) return {};
  std::vector<TaskId> released = std::move(found->successors);
  children_.erase(child);
  if (children_.empty()) fragments_.clear();
  std::erase_if(released, [&](TaskId successor) {
    std::size_t& missing = children_.at(successor).missing;
    missing -= 1;
    return missing != 0;
  });
  return released;
}

}  // namespace myr::sched
