// SPDX-License-Identifier: Apache-2.0
//
// Faults planted without building anew: whether the models need an order, a fence or a wake-up
// shows when it is taken away at one place of the code under test. `./dev orders` does that for
// each.
//
//   MYR_SITES=FILE                  the program writes there which operations it met, a line each:
//                                   src/x.hpp:LINE:COLUMN ORDER
//   MYR_WEAKEN=x.hpp:LINE:COLUMN=ORDER   the operation there has this order; a fence or a wake-up
//                                   with `nothing` does nothing
//
// The order of a compare-and-swap that fails has COLUMN:failure.
#pragma once

#include <source_location>

#include "explore/memory.hpp"

namespace myr::explore {

// An operation in the code under test.
using Site = std::source_location;
enum class Role : bool { Operation, Failure };

// The order that an operation has whose code says `order`.
[[nodiscard]] Order order_at(const Site& site, Order order, Role role = Role::Operation);
// Is a fence or a wake-up left out?
[[nodiscard]] bool is_left_out(const Site& site, const char* what);

}  // namespace myr::explore
