// SPDX-License-Identifier: Apache-2.0
#include "deps/block_table.hpp"

namespace myr::deps {

namespace {

using UseCounts = std::array<std::uint32_t, kBlockUses>;

// Does the use conflict with one that is counted?
bool meets(BlockUse use, const UseCounts& counts) {
  for (std::size_t other = 0; other < kBlockUses; ++other) {
    if (counts[other] != 0 && conflicts(use, static_cast<BlockUse>(other))) return true;
  }
  return false;
}

bool lets_nobody_in(const UseCounts& counts) {
  return counts[static_cast<std::size_t>(BlockUse::Write)] != 0;
}

// One use for both.
BlockUse combined_use(BlockUse a, BlockUse b) {
  if (a > b) return combined_use(b, a);
  // A task that writes something in a region that it reads as a whole lets nobody else in.
  return a == BlockUse::WriteWithin && b == BlockUse::Read ? BlockUse::Write : b;
}

UseCounts::value_type& count_of(UseCounts& counts, BlockUse use) {
  return counts[static_cast<std::size_t>(use)];
}

}  // namespace

BlockTable::Index BlockTable::take_use() {
  if (unused_ == kNone) {
    MYR_ASSERT(uses_.size() < kNone);
    uses_.emplace_back();
    return static_cast<Index>(uses_.size() - 1);
  }
  const Index use = unused_;
  unused_ = uses_[use].next_of_task;
  return use;
}

bool BlockTable::add(TaskId id, std::span<const BlockAccess> accesses) {
  const auto [task, is_new] = tasks_.try_emplace(id);
  MYR_ASSERT(is_new);
  for (const BlockAccess& access : accesses) enter(id, *task, access);
  return task->waits_for == 0;
}

void BlockTable::enter(TaskId id, Task& task, BlockAccess access) {
  Block& block = *blocks_.try_emplace(access.block).first;
  Index index = block.last;
  if (index != kNone && uses_[index].task == id) {  // once more: as if it had not been there
    Use& use = uses_[index];
    access.use = combined_use(use.use, access.use);
    count_of(use.granted ? block.granted : block.waiting, use.use) -= 1;
    if (!use.granted) task.waits_for -= 1;
    if (block.first_waiting == index) block.first_waiting = kNone;
  } else {
    index = take_use();
    uses_[index] = {.block = access.block,
                    .task = id,
                    .before = block.last,
                    .behind = kNone,
                    .next_of_task = task.first,
                    .use = access.use,
                    .granted = false};
    task.first = index;
    if (block.last != kNone) uses_[block.last].behind = index;
    block.last = index;
  }
  Use& use = uses_[index];
  use.use = access.use;
  use.granted = !meets(use.use, block.granted) && !meets(use.use, block.waiting);
  count_of(use.granted ? block.granted : block.waiting, use.use) += 1;
  if (use.granted) return;
  task.waits_for += 1;
  if (block.first_waiting == kNone) block.first_waiting = index;
}

void BlockTable::retire(TaskId id, std::vector<TaskId>& ready) {
  const Task task = tasks_.at(id);
  MYR_ASSERT(task.waits_for == 0);
  tasks_.erase(id);
  for (Index use = task.first; use != kNone;) {
    const Index next = uses_[use].next_of_task;
    leave(use, ready);
    uses_[use].next_of_task = unused_;
    unused_ = use;
    use = next;
  }
}

void BlockTable::leave(Index index, std::vector<TaskId>& ready) {
  const Use& use = uses_[index];
  Block& block = blocks_.at(use.block);
  if (use.before != kNone) uses_[use.before].behind = use.behind;
  if (use.behind != kNone) uses_[use.behind].before = use.before;
  if (block.last == index) block.last = use.before;
  if (block.last == kNone) {
    blocks_.erase(use.block);
    return;
  }
  UseCounts::value_type& still = count_of(block.granted, use.use);
  still -= 1;
  if (still == 0) grant_behind(block, ready);
}

// Grants those that wait for nobody before them any more. Nobody gets past a writer.
void BlockTable::grant_behind(Block& block, std::vector<TaskId>& ready) {
  UseCounts before = block.granted;
  Index first_waiting = kNone;
  Index index = block.first_waiting;
  for (; index != kNone && !lets_nobody_in(before); index = uses_[index].behind) {
    Use& use = uses_[index];
    if (!use.granted && !meets(use.use, before)) {
      use.granted = true;
      count_of(block.waiting, use.use) -= 1;
      count_of(block.granted, use.use) += 1;
      Task& task = tasks_.at(use.task);
      task.waits_for -= 1;
      if (task.waits_for == 0) ready.push_back(use.task);
    } else if (!use.granted && first_waiting == kNone) {
      first_waiting = index;
    }
    count_of(before, use.use) += 1;
  }
  block.first_waiting = first_waiting != kNone ? first_waiting : index;
}

}  // namespace myr::deps
