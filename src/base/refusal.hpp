// SPDX-License-Identifier: Apache-2.0
//
// Mistakes that can be taken back: the call has changed nothing yet, so the program's error handler
// may decide that it goes on. The check throws a Refusal through the library, whose border
// (runtime::with_memory()) hands it over. Without a handler, a mistake is reported on the spot.
#pragma once

#include <string>
#include <string_view>

#include "base/contract.hpp"
#include "myr/myr.h"

namespace myr::base {

struct Refusal {
  const myr_site* site;
  std::string text;
  myr_error_kind kind;
};

// As misuse(). REQUIRES: with a handler, the caller and those above it up to the border leave
// everything as it was, as for any exception.
[[noreturn]] MYR_COLD void refuse(const myr_site* site, std::string_view message);
// Memory is out. Always throws: at the border, a call may have another answer than the end.
[[noreturn]] MYR_COLD void refuse_memory(const myr_site* site, std::string_view message);

// Asks the handler, which may throw. Returns if the call is to be left out; `can_go_on`: it may be.
MYR_COLD void hand_over(const Refusal& refusal, bool can_go_on);

[[nodiscard]] bool has_error_handler() noexcept;
// Returns the one before.
myr_error_handler set_error_handler(myr_error_handler handler) noexcept;

}  // namespace myr::base
