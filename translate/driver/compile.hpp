// SPDX-License-Identifier: Apache-2.0
//
// What myrcc does with a command: translates the sources that need it into a temporary folder and
// calls the compiler with those in place of the user's.
#pragma once

#include "translate/driver/command_line.hpp"
#include "translate/driver/toolchain.hpp"

namespace myr::translate {

// Returns the exit status: the compiler's, or 1 after an error of myrcc's own.
[[nodiscard]] int compile(const Command& command, const Toolchain& toolchain);

// --emit: prints the translation of each source.
[[nodiscard]] int emit(const Command& command, const Toolchain& toolchain);

}  // namespace myr::translate
