// SPDX-License-Identifier: Apache-2.0
//
// What of the program's code is not told of, as its debug information shows: object files that are
// compiled without -fsanitize=thread, and, with gcc, structures that functions get and return.
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
