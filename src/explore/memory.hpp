// SPDX-License-Identifier: Apache-2.0
//
// The memory model of the explorer: what C++ atomics may do on the weakest processor. Every atomic
// keeps all values that were stored to it; what a load may return follows from what its thread
// knows.
//
//   history of x:   0   1   1   7   3      a thread that knows index 2 may read index 2, 3 or 4;
//   reading 3 index           0   1   2   3   4      teaches it index 3, and if it acquires, all
//   that the storing
//                           ^known         thread had released
//
// The stores of one location are ordered as they are executed, so outcomes in which two threads'
// stores to one location are reordered against stores to others (2+2W) are not found. Loads never
// return values of later stores. Everything else of the C++20 model is there: release sequences,
// fences, seq_cst.
//
// Pure bookkeeping for one execution; the choices are made by Execution.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace myr::explore {

// The orders of an operation, with the names of std::memory_order.
enum class Order : std::uint8_t { relaxed, acquire, release, acq_rel, seq_cst };

inline constexpr unsigned kThreadsMax =
    6;  // of one execution, the one that starts the others included
inline constexpr unsigned kLocationsMax = 128;  // atomics of one execution

// A vector of counters that only grow; element-wise maximum joins two of them.
template <class Count, unsigned kSize>
class Frontier {
 public:
  [[nodiscard]] Count operator[](unsigned index) const noexcept { return counts_[index]; }
  void raise(unsigned index, Count count) noexcept {
    counts_[index] = std::max(counts_[index], count);
  }
  void join(const Frontier& other) noexcept {
    for (unsigned i = 0; i < kSize; ++i) raise(i, other.counts_[i]);
  }

 private:
  std::array<Count, kSize> counts_{};
};
using Clock =
    Frontier<std::uint32_t, kThreadsMax>;  // per thread: how many of its steps happened before
using View =
    Frontier<std::uint16_t, kLocationsMax>;  // per location: the oldest index one may still read

struct Knowledge {
  Clock clock;
  View view;
  void join(const Knowledge& other) noexcept {
    clock.join(other.clock);
    view.join(other.view);
  }
};

struct ThreadMemory {
  unsigned index = 0;
  Knowledge known;
  Knowledge fenced;      // `known` at the last release fence: what relaxed stores release
  Knowledge unacquired;  // released by stores that relaxed loads have read: an acquire fence takes
                         // it over
};

struct Store {
  std::uint64_t value;
  Knowledge released;
};

// One atomic variable.
struct Location {
  unsigned id;
  std::vector<Store> history;  // never empty

  [[nodiscard]] unsigned newest() const noexcept {
    return static_cast<unsigned>(history.size()) - 1;
  }
};

// One variable that is not atomic: who accessed it last.
struct PlainHistory {
  Clock writes;
  Clock reads;
};

// The part of the model that all threads share, and the rules.
class Memory {
 public:
  // The oldest value that the thread may read.
  [[nodiscard]] unsigned oldest_visible(const ThreadMemory& thread, const Location& location,
                                        Order order) const noexcept;

  // Reads the value of that index.
  std::uint64_t read(ThreadMemory& thread, const Location& location, unsigned index,
                     Order order) noexcept;

  // Stores a value. `updates`: as part of a read-modify-write, which continues the release sequence
  // of the value it replaces.
  void write(ThreadMemory& thread, Location& location, std::uint64_t value, Order order,
             bool updates);

  void fence(ThreadMemory& thread, Order order) noexcept;
  void light_fence(ThreadMemory& thread) noexcept;
  void heavy_fence(ThreadMemory& thread) noexcept;

  // Notes an access to a variable that is not atomic. False: it races with an earlier one.
  [[nodiscard]] static bool plain_read(const ThreadMemory& thread, PlainHistory& history) noexcept;
  [[nodiscard]] static bool plain_write(const ThreadMemory& thread, PlainHistory& history) noexcept;

  // A thread begins with all that its starter knows; a thread that joins it learns all that it
  // knows.
  static void start(ThreadMemory& starter, ThreadMemory& thread, unsigned index) noexcept;

 private:
  View sequential_;  // what the seq_cst operations so far have shown
  View light_;       // what was known at light fences
  View heavy_;       // what was known at heavy fences
};

}  // namespace myr::explore
