// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace myr::plat {

// A stack: its lowest byte, and the one behind its highest.
struct StackBounds {
  const std::byte* low = nullptr;
  const std::byte* high = nullptr;
};
// The calling thread's own. Cost: microseconds.
[[nodiscard]] StackBounds this_thread_stack() noexcept;

}  // namespace myr::plat
