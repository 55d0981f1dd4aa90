// SPDX-License-Identifier: Apache-2.0
//
// UseQueue: the accesses at one node of a QueueTree, in serial order. To join it, to leave it and
// to look for the access of a task takes the same time, however many are there.
//
// An entry stands for one access that ends at the node, or for those of one task that go on from it
// together. The entries are linked; those of tasks that were granted the node are linked once more,
// and when they are many, found by task in a map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/stable_map.hpp"
#include "deps/access_path.hpp"

namespace myr::deps {

class UseQueue {
 public:
  struct Entry {
    Use use;
    bool granted = false;
    // Once it is granted: the most that has been granted here and ahead.
    bool with_writes = false;
    bool with_others = false;    // than parts, all of them of one task's children
    NodeId target;               // this node, if the access ends here
    std::unique_ptr<Ways> ways;  // else: from this node down
    Entry* ahead = nullptr;
    Entry* behind = nullptr;
    Entry* next_granted = nullptr;
    Entry* last_granted = nullptr;

    [[nodiscard]] bool ends_here() const noexcept { return ways == nullptr; }
    // Both use parts, and others keep them in order.
    [[nodiscard]] bool is_part_beside(const Entry& other) const noexcept {
      return use.is_part() && use.parts_of == other.use.parts_of;
    }
    [[nodiscard]] bool is_granted_read() const noexcept {
      return granted && use.mode == Mode::Read;
    }
  };
  // Memory for the entries of many queues; it outlives them.
  class Pool {
   public:
    [[nodiscard]] Entry& take();
    void give(Entry& entry);

   private:
    std::deque<Entry> entries_;
    Entry* unused_ = nullptr;  // by `behind`
  };

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] Entry* first() const noexcept { return first_; }
  [[nodiscard]] Entry* last() const noexcept { return last_; }
  // Some access to write is here, granted or not.
  [[nodiscard]] bool has_writes() const noexcept { return write_count_ != 0; }
  [[nodiscard]] bool has_granted_writes() const noexcept { return granted_write_count_ != 0; }

  // Puts an access to the node ahead of `place`, or at the end if that is nullptr.
  Entry& insert(Pool& pool, const Use& use, NodeId target, Entry* place);
  // The same for accesses that go on.
  Entry& insert(Pool& pool, const Use& use, Ways ways, Entry* place);
  void erase(Pool& pool, Entry& entry);
  // REQUIRES: the entry ends here; those ahead of it are granted; no other granted one is of its
  // task.
  void note_granted(Entry& entry);
  // The granted access of the task, or nullptr.
  [[nodiscard]] Entry* find(TaskId task) const noexcept;

  // Do the links, the counts and the list of granted ones fit each other? nullptr, or what does
  // not. Cost: O(accesses).
  [[nodiscard]] const char* broken_invariant() const noexcept;

 private:
  Entry& link(Pool& pool, const Use& use, Entry* place);

  static constexpr std::size_t kSearchMax = 8;  // more granted ones than that are in the map

  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
  Entry* granted_ = nullptr;  // the latest
  std::uint32_t write_count_ = 0;
  std::uint32_t granted_count_ = 0;
  std::uint32_t granted_write_count_ = 0;
  std::unique_ptr<base::StableMap<Entry*>>
      by_task_;  // from when there were many until none is left
};

}  // namespace myr::deps
