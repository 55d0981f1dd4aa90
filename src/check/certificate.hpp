// SPDX-License-Identifier: Apache-2.0
//
// Certificate: what a run without a mistake says of others with the same input. Their results are
// the same in every schedule, unless the program did something whose order nobody determines, or
// that the checker did not see.
//
// Threads: one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace myr::check {

// Why another schedule may give another result.
enum class Doubt : std::uint8_t { Locks, Atomics, AnyOrder, Cancels, Clocks, Threads, Libraries };

class Certificate {
 public:
  static constexpr std::size_t kDoubts = 7;

  [[nodiscard]] bool has(Doubt doubt) const noexcept { return !at(doubt).empty(); }
  // `where`: in the program; the first is kept.
  void doubt(Doubt doubt, std::string_view where) {
    if (!has(doubt)) first_[static_cast<std::size_t>(doubt)] = where;
  }
  // A task has read what it has not declared: other processes may not have it.
  void note_undeclared() noexcept { is_for_every_machine_ = false; }

  [[nodiscard]] bool is_given() const noexcept;
  [[nodiscard]] bool is_for_every_machine() const noexcept { return is_for_every_machine_; }
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
