// SPDX-License-Identifier: Apache-2.0
//
// Names of functions and variables, as the linker and as the program's text have them.
//
// Threads: any.
#pragma once

#include <string>

namespace myr::check {

// As in the program's text, where it is a symbol of C++; else the name itself.
[[nodiscard]] std::string demangled(const char* name);

}  // namespace myr::check
