// SPDX-License-Identifier: Apache-2.0
//
// Frames as bytes, for wires between processes of the same program: which one, then its members:
// numbers as they lie in memory, each list behind its length, the times of the serial program as
// their counts. An address (Task::program) means something only to the process that wrote it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "proto/frames.hpp"

namespace myr::proto {

using Bytes = std::vector<std::byte>;

// Puts the frame's bytes behind those that are there. Cost: O(size + depth of its times).
void encode(const Frame& frame, Bytes& bytes);

// Takes one frame from the front of the bytes, and those off; its views lie in there. None: they
// are not what encode() made; what is left of them then is of no use.
[[nodiscard]] std::optional<Frame> decode(std::span<const std::byte>& bytes);

template <class Kind, class... Kinds>
[[nodiscard]] consteval std::byte first_byte_of(const std::variant<Kinds...>*) {
  std::uint8_t index = 0;
  static_cast<void>(((std::is_same_v<Kind, Kinds> || (index += 1, false)) || ...));
  return std::byte{index};
}
// Is it that kind of frame? REQUIRES: encode() has made the bytes.
template <class Kind>
[[nodiscard]] bool holds(std::span<const std::byte> bytes) noexcept {
  return bytes.front() == first_byte_of<Kind>(static_cast<const Frame*>(nullptr));
}

}  // namespace myr::proto
