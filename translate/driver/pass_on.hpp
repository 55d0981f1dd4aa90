// SPDX-License-Identifier: Apache-2.0
//
// Passes a command with nothing to translate on to the compiler, as it is. Most files of a project
// go this way, so it must be short.
#pragma once

#include <string>

#include "translate/driver/command_line.hpp"
#include "translate/driver/toolchain.hpp"

namespace myr::translate {

// Whether the translator must see the command. Reads the sources, but not the standard input.
[[nodiscard]] bool needs_translation(const Command& command);

// Becomes the compiler, with the runtime. Returns only if that fails: why.
[[nodiscard]] std::string pass_on(const Command& command, const Toolchain& toolchain);

}  // namespace myr::translate
