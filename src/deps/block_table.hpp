// SPDX-License-Identifier: Apache-2.0
//
// BlockTable: which task waits for which, by blocks of memory (paper 3, section on task
// initiation). Each block that unfinished tasks use has a list of them in the order of the serial
// program. A task may run when it is *granted* all its blocks: no task before it in the list of one
// uses that block in a way that conflicts.
//
// Regions are blocks, too, by the rules of locks on several levels: a task that uses something in a
// region reads or writes *within* that region and each one around it; so a task that has the region
// itself meets all of them there, and they do not meet each other.
//
// Pure: no threads, no time; one thread at a time. Memory: what unfinished tasks use at once, not
// how many there have been.
//
// Invariants
//   1. A task waits for each earlier unfinished one that conflicts with it, and for no other.
//   2. In the list of a block, a task that is granted stands behind nobody that it conflicts with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stable_map.hpp"
#include "deps/access_path.hpp"

namespace myr::deps {

enum class BlockUse : std::uint8_t { ReadWithin, WriteWithin, Read, Write };
inline constexpr std::size_t kBlockUses = 4;

[[nodiscard]] constexpr bool conflicts(BlockUse a, BlockUse b) noexcept {
  if (a > b) return conflicts(b, a);
  return b == BlockUse::Write || (a == BlockUse::WriteWithin && b == BlockUse::Read);
}

struct BlockAccess {
  std::uint64_t block = 0;
  BlockUse use = BlockUse::Read;
};

class BlockTable {
 public:
  // Registers a task that comes after all others. It may name a block several times: then it uses
  // it in all these ways. Returns whether it may run at once.
  // REQUIRES: no unfinished task has the id. Cost: its accesses.
  bool add(TaskId task, std::span<const BlockAccess> accesses);

  // A task that could run has run. Appends to `ready` the tasks that may run now. Cost: its blocks,
  // and those of the lists that it stood in that wait no more.
  void retire(TaskId task, std::vector<TaskId>& ready);

  [[nodiscard]] bool contains(TaskId task) const { return tasks_.contains(task); }
  [[nodiscard]] bool is_ready(TaskId task) const { return tasks_.at(task).waits_for == 0; }
  // Calls visit(block, other) for each block that the task waits for, and each one there that it
  // conflicts with. Cost: the lists.
  template <class Visit>
  void for_conflicts(TaskId task, Visit visit) const {
    for (Index i = tasks_.at(task).first; i != kNone; i = uses_[i].next_of_task) {
      if (uses_[i].granted) continue;
      for (Index other = uses_[i].before; other != kNone; other = uses_[other].before) {
        if (conflicts(uses_[i].use, uses_[other].use)) visit(uses_[i].block, uses_[other].task);
      }
    }
  }

  // Tasks that are registered and not retired; blocks that they use; what there is room for.
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  [[nodiscard]] std::size_t block_count() const noexcept { return blocks_.size(); }
  [[nodiscard]] std::size_t room() const noexcept { return uses_.size(); }

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xffffffff;

  // A task in the list of a block.
  struct Use {
    std::uint64_t block;
    TaskId task;
    Index before;
    Index behind;
    Index next_of_task;  // of its task; of the unused ones, if it is
    BlockUse use;
    bool granted;
  };
  struct Block {
    std::array<Index, kBlockUses> granted{};  // how many in each way
    std::array<Index, kBlockUses> waiting{};
    Index last = kNone;
    Index first_waiting = kNone;  // those before are granted
  };
  struct Task {
    Index first = kNone;
    Index waits_for = 0;  // blocks that it is not granted
  };

  [[nodiscard]] Index take_use();
  void enter(TaskId id, Task& task, BlockAccess access);
  void leave(Index use, std::vector<TaskId>& ready);
  void grant_behind(Block& block, std::vector<TaskId>& ready);

  std::vector<Use> uses_;
  Index unused_ = kNone;
  base::StableMap<Block> blocks_;
  base::StableMap<Task> tasks_;
};

}  // namespace myr::deps
