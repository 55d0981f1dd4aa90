// SPDX-License-Identifier: Apache-2.0
//
// Ready tasks by their priority; among equals the first or the last that came is next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph/interior.hpp"
#include "graph/task.hpp"

namespace myr::engine {

class ReadyHeap {
 public:
  enum class Next : std::uint8_t { Oldest, Newest };

  // A ready task. REQUIRES: it has an interior, whose priority counts. Cost: O(log tasks).
  void push(graph::Task* task, Next next) {
    const std::uint64_t turn = next == Next::Oldest ? turns_ : ~turns_;
    turns_ += 1;
    entries_.push_back({task->interior->priority, turn, task});
    std::push_heap(entries_.begin(), entries_.end());
  }
  // REQUIRES: not empty.
  [[nodiscard]] graph::Task* pop() {
    std::pop_heap(entries_.begin(), entries_.end());
    graph::Task* const task = entries_.back().task;
    entries_.pop_back();
    return task;
  }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(entries_.size());
  }

 private:
  struct Entry {
    int priority;
    std::uint64_t turn;  // the lower is next
    graph::Task* task;
    [[nodiscard]] friend bool operator<(const Entry& a, const Entry& b) noexcept {
      return a.priority != b.priority ? a.priority < b.priority : a.turn > b.turn;
    }
  };

  std::vector<Entry> entries_;
  std::uint64_t turns_ = 0;
};

}  // namespace myr::engine
