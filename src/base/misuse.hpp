// SPDX-License-Identifier: Apache-2.0
//
// The one way to report a mistake of the program that uses Myrmidon: one message on stderr that
// says what happened, where, and what to do; then the process ends with status MYR_EXIT_MISUSE. Any
// thread.
#pragma once

#include <string_view>

#include "base/contract.hpp"
#include "myr/myr.h"

namespace myr::base {

// "file:line: in function", or "an unknown place" for a null site. Valid until the thread's next
// call.
[[nodiscard]] const char* describe(const myr_site* site) noexcept;

// Prints "myrmidon: error: FILE:LINE: MESSAGE" and exits without running destructors or exit
// handlers.
[[noreturn]] MYR_COLD void misuse(const myr_site* site, std::string_view message) noexcept;

}  // namespace myr::base
