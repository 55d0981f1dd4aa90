// SPDX-License-Identifier: Apache-2.0
//
// SerialTime: when something happens in the serial program: the child that leads to it, in main, in
// that child, and so on; to compare two such times. Child n of a task counts as 2n + 1, what its
// own body does before it spawns child n as 2n.
//
// A time is a number within the scope of a task's body, and a scope knows when its task is spawned.
// Times share scopes, so a chain of n tasks, each the parent of the next, has n of them. A scope
// also knows one far above, so that a climb takes O(log) steps.
//
// Threads: a time belongs to one; scopes are shared by all, and do not change.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace myr::proto {

class SerialTime {
 public:
  // The begin of main.
  SerialTime() noexcept = default;
  SerialTime(const SerialTime& other) noexcept;
  SerialTime(SerialTime&& other) noexcept
      : scope_(std::exchange(other.scope_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  SerialTime& operator=(SerialTime other) noexcept {
    std::swap(scope_, other.scope_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~SerialTime();

  // The begin of the body of the task that is spawned at this time. Allocates.
  [[nodiscard]] SerialTime inside() const;
  // The body spawns a child now. Returns when that is; from now on the body is after that.
  [[nodiscard]] SerialTime spawn() noexcept;
  // The same for the child that comes behind so many others.
  [[nodiscard]] SerialTime child(std::uint64_t number) const noexcept {
    SerialTime child = *this;
    child.count_ += 2 * number + 1;
    return child;
  }

  // How many tasks are around it, main not counted.
  [[nodiscard]] std::uint32_t depth() const noexcept;
  // Cost: O(log depth) and, in different scopes of the same depth, O(levels up to a common one).
  [[nodiscard]] static int compare(const SerialTime& a, const SerialTime& b) noexcept;
  friend bool operator<(const SerialTime& a, const SerialTime& b) noexcept {
    return compare(a, b) < 0;
  }
  friend bool operator==(const SerialTime& a, const SerialTime& b) noexcept {
    return compare(a, b) == 0;
  }

  // For wires: the numbers from main's on; at least one. Cost: O(depth).
  [[nodiscard]] std::vector<std::uint64_t> counts() const;
  [[nodiscard]] static SerialTime of_counts(std::span<const std::uint64_t> counts);

 private:
  struct Scope;
  SerialTime(Scope* scope, std::uint64_t count) noexcept : scope_(scope), count_(count) {}
  [[nodiscard]] static std::uint32_t depth_of(const Scope* scope) noexcept;
  [[nodiscard]] static const Scope* above(const Scope* scope) noexcept;
  [[nodiscard]] static const Scope* far_above(const Scope* scope) noexcept;
  [[nodiscard]] static const Scope* climb(const Scope* scope, std::uint32_t depth) noexcept;

  Scope* scope_ = nullptr;  // main's
  std::uint64_t count_ = 0;
};

// The clock of a task's body: its scope is made when it is first needed, as most tasks need none.
class SerialClock {
 public:
  // Main's.
  SerialClock() noexcept = default;
  // The clock of the task spawned at that time.
  explicit SerialClock(SerialTime spawned_at) noexcept
      : time_(std::move(spawned_at)), is_inside_(false) {}

  [[nodiscard]] const SerialTime& now() {
    if (!std::exchange(is_inside_, true)) time_ = time_.inside();
    return time_;
  }
  // The body spawns a child now.
  [[nodiscard]] SerialTime spawn() {
    static_cast<void>(now());
    return time_.spawn();
  }

 private:
  SerialTime time_;  // now or, before anybody has asked, when the task is spawned
  bool is_inside_ = true;
};

}  // namespace myr::proto
