// SPDX-License-Identifier: Apache-2.0
//
// How large the stacks of tasks are, and what is said when one is full.
#pragma once

#include <cstddef>

#include "myr/myr.h"
#include "plat/stack_guard.hpp"

namespace myr::plat {

inline constexpr std::size_t kTaskStackMib = 16;         // unless MYR_STACK says something else
inline constexpr std::size_t kTaskStackMibMax = 16'384;  // for it

// The process's. Set while there is no machine.
[[nodiscard]] std::size_t task_stack_bytes() noexcept;
void set_task_stack_mib(std::size_t mib) noexcept;

// The process's first thread, which is the calling one, has a stack of that size from now on, as
// far as the system's hard limit allows. What the process executes later inherits the limit.
void enlarge_first_stack() noexcept;

// For StackWatch::tell(): on the stack there is a task that was spawned there; nullptr: none, but
// main or another thread of the program.
void tell_full_task_stack(const myr_site* site, const StackOverflow& overflow) noexcept;

}  // namespace myr::plat
