// SPDX-License-Identifier: Apache-2.0
//
// Lines: which bytes the running task may use, as far as that has been looked up: a table of lines
// of 64 bytes, found by their addresses. Every change of a footprint makes it forget all. It is
// asked about each access, so the question is inlined into each of the compilers' calls.
//
// Threads: one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/contract.hpp"

namespace myr::check {

class Lines {
 public:
  static constexpr std::uint64_t kBytes = 64;

  void forget_all() noexcept {
    epoch_ += kEpoch;
    if (epoch_ != 0) return;
    lines_ = {};
    epoch_ = kEpoch;
  }
  [[nodiscard, gnu::always_inline]] bool have(std::uint64_t address, std::uint64_t bytes,
                                              bool writes) const noexcept {
    const std::uint64_t offset = address % kBytes;
    if (MYR_UNLIKELY(offset + bytes > kBytes)) return false;
    const Line& line = lines_[index(address)];
    return line.key == key(address) && (mask(offset, bytes) & ~line.may[writes ? 1 : 0]) == 0;
  }
  // REQUIRES: they are in one line.
  void note(std::uint64_t address, std::uint64_t bytes, bool writes) noexcept {
    Line& line = lines_[index(address)];
    if (line.key != key(address)) line = {.key = key(address)};
    line.may[writes ? 1 : 0] |= mask(address % kBytes, bytes);
  }

 private:
  static constexpr unsigned kLineBits = 13;
  static constexpr std::size_t kLines = std::size_t{1} << kLineBits;
  static constexpr unsigned kAddressBits = 47 - 6;
  static constexpr std::uint64_t kEpoch = std::uint64_t{1} << kAddressBits;

  struct alignas(32) Line {  // found by a shift
    std::uint64_t key = 0;
    std::array<std::uint64_t, 2> may = {};  // a bit a byte: read, written
  };

  [[nodiscard, gnu::always_inline]] static std::size_t index(std::uint64_t address) noexcept {
    // Arrays that are computed from each other often lie a power of two apart.
    const std::uint64_t line = address / kBytes;
    return (line ^ line >> kLineBits) % kLines;
  }
  [[nodiscard, gnu::always_inline]] static std::uint64_t mask(std::uint64_t offset,
                                                              std::uint64_t bytes) noexcept {
    return (bytes == kBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1) << offset;
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t key(std::uint64_t address) const noexcept {
    return epoch_ | address / kBytes;
  }

  std::array<Line, kLines> lines_ = {};
  std::uint64_t epoch_ = kEpoch;  // in the bits that no address has
};

}  // namespace myr::check
