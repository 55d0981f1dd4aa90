// SPDX-License-Identifier: Apache-2.0
//
// Certificate: what a run without a mistake says of others with the same input: that they give the
// same result, or what withholds that.
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
  Questions,
  Clocks,
  ThreadLocals,
  Threads,
  Statics,
  Parts,
  SharedPages,
  Unchecked,
  Structures
};

class Certificate {
 public:
  static constexpr std::size_t kDoubts = 13;

  [[nodiscard]] bool has(Doubt doubt) const noexcept { return !at(doubt).empty(); }
  // `where`: in the program; the first is kept.
  void doubt(Doubt doubt, std::string_view where) {
    if (!has(doubt)) first_[static_cast<std::size_t>(doubt)] = where;
  }
  // A function of a library was called of which it is not known what its result depends on, or what
  // it touches.
  void note_call(const std::string& function, const std::string& where);
  // A task has read memory that it has not declared: other processes may not have it.
  void note_undeclared() noexcept { is_for_every_machine_ = false; }
  // The program has asked how many workers there are.
  void note_workers() noexcept { is_for_all_workers_ = false; }

  [[nodiscard]] bool has_none() const { return doubts().empty(); }
  // Each with its first place.
  [[nodiscard]] std::vector<std::string> doubts() const;
  // A sentence's end.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] const std::string& at(Doubt doubt) const noexcept {
    return first_[static_cast<std::size_t>(doubt)];
  }

  std::array<std::string, kDoubts> first_ = {};
  std::vector<std::string> calls_;
  bool is_for_every_machine_ = true;
  bool is_for_all_workers_ = true;
};

}  // namespace myr::check
