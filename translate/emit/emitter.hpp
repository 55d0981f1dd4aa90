// SPDX-License-Identifier: Apache-2.0
//
// Writes the translation of a source: the user's own text, with its lines where they were, in which
// sites have become code that makes tasks.
//
// In C, a site becomes the call of a function that packs a task. What that takes stands before and
// behind the function around the site:
//
//   struct myrcc_1 { ... };                       the values that the task takes along
//   static void myrcc_run_1(void*, ...);          runs it
//   static inline void myrcc_spawn_1(...) { }     makes it: declares the accesses, copies the values
//   #line 12 "user.c"
//   void user(...) { ... myrcc_spawn_1(...); ... }
//
// In C++, a site becomes a closure where it stands (include/myr/pragma.hpp).
#pragma once

#include <string>

#include "translate/parse/reader.hpp"

namespace myr::translate {

[[nodiscard]] std::string emit_c(const Source& source, const Reading& reading);
[[nodiscard]] std::string emit_cxx(const Source& source, const Reading& reading);

}  // namespace myr::translate
