// SPDX-License-Identifier: Apache-2.0
//
// Below: the tasks that use something in a piece of memory and are noted elsewhere, by the way of
// using it, so that a task which uses all of it need not look there. A part of RangeMap, which says
// what Users are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace myr::deps {

struct Bytes {
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] bool contains(Bytes other) const noexcept {
    return begin <= other.begin && other.end <= end;
  }
  // REQUIRES: the two share some bytes.
  [[nodiscard]] Bytes common(Bytes other) const noexcept {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

template <class Users>
struct Below {
  using Tasks = typename Users::Tasks;
  using Way = typename Users::Way;

  std::array<Tasks, Users::kWays> writers = {};
  Tasks readers = {};

  [[nodiscard]] Tasks& of(bool writes, Way way) noexcept {
    return writes ? writers[static_cast<std::size_t>(way)] : readers;
  }
  [[nodiscard]] bool empty() const noexcept {
    return readers.empty() && std::all_of(writers.begin(), writers.end(),
                                          [](const Tasks& tasks) { return tasks.empty(); });
  }
  template <class Sink>
  [[nodiscard]] bool is_over(Sink& sink) {
    return Users::is_over(readers, sink) &&
           std::all_of(writers.begin(), writers.end(),
                       [&](Tasks& tasks) { return Users::is_over(tasks, sink); });
  }
  void clear() { *this = {}; }
  // Reports the tasks that such a user of all the bytes waits for. Do they stay for others?
  template <class Sink>
  void meet(Bytes bytes, bool writes, Way way, bool stay, Sink& sink) {
    const auto meet_one = [&](Tasks& tasks) {
      if (stay) Users::fan_in(tasks, Users::memory_of(bytes), sink);
      Users::report_all(tasks, sink);
    };
    for (std::size_t i = 0; i < Users::kWays; ++i) {
      const bool are_of_his_group = writes && i != 0 && i == static_cast<std::size_t>(way);
      if (!are_of_his_group) meet_one(writers[i]);
    }
    if (writes) meet_one(readers);
  }
};

}  // namespace myr::deps
