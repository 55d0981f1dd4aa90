// SPDX-License-Identifier: Apache-2.0
//
// If one instruction cannot do an atomic construct, as that of a floating-point number, gcc tells
// only that the old value is loaded: the compare-and-exchange behind it is in the program.
//
// Threads: one at a time.
#pragma once

#include "check/modules.hpp"

namespace myr::check {

// Does the code behind a call that loads exchange the value before it calls anything else?
[[nodiscard]] bool begins_update(const void* behind_call, const Modules& modules);

}  // namespace myr::check
