// SPDX-License-Identifier: Apache-2.0
//
// Certificate: what a run without a mistake says of others with the same input: whether the program
// was seen to do something whose order nobody determines. It is as good as what the checker sees.
//
// Threads: one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace myr::check {

// Why another schedule may give another result.
enum class Doubt : std::uint8_t {
  Locks,
  Atomics,
  AnyOrder,
  Cancels,
  Clocks,
  ThreadLocals,
  Threads,
  Libraries
};

class Certificate {
 public:
  static constexpr std::size_t kDoubts = 8;

  [[nodiscard]] bool has(Doubt doubt) const noexcept { return !at(doubt).empty(); }
  // `where`: in the program; the first is kept.
  void doubt(Doubt doubt, std::string_view where) {
    if (!has(doubt)) first_[static_cast<std::size_t>(doubt)] = where;
  }
  // A task has read what it has not declared: other processes may not have it.
  void note_undeclared() noexcept { is_for_every_machine_ = false; }

  // Each with its first place.
  [[nodiscard]] std::vector<std::string> doubts() const;
  // A sentence's end.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] const std::string& at(Doubt doubt) const noexcept {
    return first_[static_cast<std::size_t>(doubt)];
  }

  std::array<std::string, kDoubts> first_ = {};
  bool is_for_every_machine_ = true;
};

}  // namespace myr::check
