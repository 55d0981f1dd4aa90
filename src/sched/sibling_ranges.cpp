// SPDX-License-Identifier: Apache-2.0
#include "sched/sibling_ranges.hpp"

#include <algorithm>
#include <utility>

namespace myr::sched {

using proto::TaskId;
using proto::UsedRange;

namespace {

std::uint64_t end_of(const UsedRange& range) { return range.address + range.bytes; }

}  // namespace

bool SiblingRanges::enter(const proto::Task& task) {
  if (task.ranges.empty()) return false;
  const Child& child = *children_.try_emplace(task.id, task.program).first;
  for (const UsedRange& range : task.ranges) {
    if (range.mode == proto::Mode::Write) {
      write(range, task.id);
    } else {
      read(range, task.id);
    }
  }
  users_.sweep([this](Users& users) { return !is_in_use(users); });
  return child.missing != 0;
}

// What lay in the range is one fragment now.
void SiblingRanges::write(const UsedRange& range, TaskId child) {
  users_.visit(range.address, end_of(range), [&](auto, auto, const Users& users) {
    wait_for(users.writer, child);
    for (const TaskId reader : users.readers) wait_for(reader, child);
    return true;
  });
  users_.set(range.address, end_of(range), {.writer = child});
}

void SiblingRanges::read(const UsedRange& range, TaskId child) {
  users_.change(range.address, end_of(range), [&](auto& piece) {
    wait_for(piece.value.writer, child);
    add_reader(piece.value, child);
  });
}

// Once, though the child may meet the same elder in many fragments.
void SiblingRanges::wait_for(TaskId elder, TaskId child) {
  Child* const found = children_.find(elder);
  if (found == nullptr || elder == child) return;
  if (!found->successors.empty() && found->successors.back() == child) return;
  found->successors.push_back(child);
  children_.at(child).missing += 1;
}

// The list is looked through only after as many readers have come as were left the last time.
void SiblingRanges::add_reader(Users& users, TaskId child) {
  std::vector<TaskId>& readers = users.readers;
  if (readers.size() == readers.capacity()) {
    std::erase_if(readers, [&](TaskId reader) { return !children_.contains(reader); });
    readers.reserve(2 * readers.size() + 1);
  }
  readers.push_back(child);
}

// Looks at readers that have completed no second time.
bool SiblingRanges::is_in_use(Users& users) const {
  std::vector<TaskId>& readers = users.readers;
  while (!readers.empty() && !children_.contains(readers.back())) readers.pop_back();
  return !readers.empty() || children_.contains(users.writer);
}

std::optional<std::uint64_t> SiblingRanges::user_of(const UsedRange& range) const {
  const Child* user = nullptr;
  users_.visit(range.address, end_of(range), [&](auto, auto, const Users& users) {
    user = children_.find(users.writer);
    for (auto id = users.readers.begin(); user == nullptr && id != users.readers.end(); ++id) {
      user = children_.find(*id);
    }
    return user == nullptr;
  });
  if (user == nullptr) return {};
  return user->program;
}

std::vector<TaskId> SiblingRanges::complete(TaskId child) {
  Child* const found = children_.find(child);
  if (found == nullptr) return {};
  std::vector<TaskId> released = std::move(found->successors);
  children_.erase(child);
  if (children_.empty()) users_.clear();
  std::erase_if(released, [&](TaskId successor) {
    std::size_t& missing = children_.at(successor).missing;
    missing -= 1;
    return missing != 0;
  });
  return released;
}

}  // namespace myr::sched
