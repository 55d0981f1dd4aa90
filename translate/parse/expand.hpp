// SPDX-License-Identifier: Apache-2.0
//
// Pragmas that macros make: _Pragma("omp task ..."), also with a stringized argument of a macro, as
//
//   #define DO_PRAGMA(x) _Pragma(#x)
//   #define TASK(...) DO_PRAGMA(omp task __VA_ARGS__)
//
// become directives in their places, so that all else needs to know directives only.
#pragma once

#include <optional>

#include "translate/lex/scanner.hpp"
#include "translate/parse/clang.hpp"

namespace myr::translate {

// The source with such macros replaced; nothing if there are none. Errors: a macro that makes a
// pragma of ours and other things.
[[nodiscard]] std::optional<Source> expand_pragmas(const Source& source,
                                                   const std::vector<Token>& tokens,
                                                   const clang::Unit& unit,
                                                   Diagnostics& diagnostics);

}  // namespace myr::translate
