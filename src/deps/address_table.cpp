// SPDX-License-Identifier: Apache-2.0
#include "deps/address_table.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/contract.hpp"

namespace myr::deps {

bool AddressTable::add(TaskId task, std::span<const AddressUse> uses) {
  MYR_ASSERT(!tasks_.contains(task));
  std::map<std::uint64_t, Mode> strongest;
  for (const AddressUse& use : uses) {
    Mode& mode = strongest.try_emplace(use.address, use.mode).first->second;
    if (use.mode == Mode::Write) mode = Mode::Write;
  }

  std::set<TaskId> predecessors;
  Task& added = tasks_[task];
  for (const auto& [address, mode] : strongest) {
    Cell& cell = cells_[address];
    added.addresses.push_back(address);
    cell.users += 1;
    predecessors.insert(cell.writer.begin(), cell.writer.end());
    if (mode == Mode::Read) {
      cell.readers.push_back(task);
    } else {
      predecessors.insert(cell.readers.begin(), cell.readers.end());
      cell.readers.clear();
      cell.writer = {task};
    }
  }
  for (const TaskId predecessor : predecessors) tasks_.at(predecessor).followers.push_back(task);
  added.waits_for = predecessors.size();
  return predecessors.empty();
}

std::vector<TaskId> AddressTable::retire(TaskId task) {
  MYR_ASSERT(ready(task));
  const Task retired = std::move(tasks_.at(task));
  tasks_.erase(task);
  for (const std::uint64_t address : retired.addresses) {
    Cell& cell = cells_.at(address);
    std::erase(cell.writer, task);
    std::erase(cell.readers, task);
    cell.users -= 1;
    if (cell.users == 0) cells_.erase(address);
  }
  std::vector<TaskId> now_ready;
  for (const TaskId follower : retired.followers) {
    Task& waiting = tasks_.at(follower);
    waiting.waits_for -= 1;
    if (waiting.waits_for == 0) now_ready.push_back(follower);
  }
  return now_ready;
}

}  // namespace myr::deps
