// SPDX-License-Identifier: Apache-2.0
//
// Finds by the debug information which of the program's accesses are not reported: those of object
// files that are compiled without -fsanitize=thread, and, with gcc, of structures that functions
// get and return.
//
// Threads: one.
#pragma once

#include <string>

#include "check/modules.hpp"

struct Dwfl;

namespace myr::check {

// A function or a file of each kind; empty: there is none.
struct UntoldCode {
  std::string unchecked;
  std::string structures;
};

[[nodiscard]] UntoldCode find_untold_code(Dwfl* files, const Modules& modules);

}  // namespace myr::check
