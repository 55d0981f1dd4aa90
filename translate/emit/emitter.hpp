// SPDX-License-Identifier: Apache-2.0
//
// Writes the translation of a C source: the user's own text with its line numbers, in which each
// site has become the call of a function that packs a task. What that takes stands before and
// behind the function around the site:
//
//   struct myrcc_1 { ... };                       the values that the task takes along
//   static void myrcc_run_1(void*, ...);          runs it
//   static inline void myrcc_spawn_1(...) { }     makes it: declares the accesses, copies the values
//   #line 12 "user.c"
//   void user(...) { ... myrcc_spawn_1(...); ... }
#pragma once

#include <string>

#include "translate/parse/reader.hpp"

namespace myr::translate {

[[nodiscard]] std::string emit_c(const Source& source, const Reading& reading);

}  // namespace myr::translate
