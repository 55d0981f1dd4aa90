// SPDX-License-Identifier: Apache-2.0
//
// For tests and models: wires that carry numbers, with channels as small as one likes.
#pragma once

#include <cstdint>

#include "transport/threads/wires.hpp"

namespace myr::transport::threads {

template <std::uint32_t kSlots>
struct NumberWire {
  using Message = int;
  static constexpr std::uint32_t kCapacity = kSlots;
  [[nodiscard]] static std::uint64_t bytes_of(int) { return sizeof(int); }
};

}  // namespace myr::transport::threads
