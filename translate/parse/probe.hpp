// SPDX-License-Identifier: Apache-2.0
//
// Makes Clang read what stands in the pragmas, where it stands. Clang ignores pragmas that it does
// not know, so it gets a text in which each is replaced by code around the same expressions:
//
//   #pragma omp task in([n]a)          while ((void)(n),(void)(a),0)
//   work(a, n);                        work(a, n);
//
// A `while` makes one statement with what follows, also below an `if` without braces and before an
// `else`. The expressions of a pragma before a function's declaration go into a function of their
// own behind it, with the same parameters:
//
//   #pragma omp task in([n]a)
//   void work(double* a, int n);       void work(double* a, int n); void myrcc_probe_0(double* a,
//                                      int n) { (void)(n);(void)(a); }
//
// This text is only parsed, never compiled.
#pragma once

#include <map>
#include <vector>

#include "translate/parse/edits.hpp"
#include "translate/parse/outline.hpp"

namespace myr::translate {

// The expressions of a pragma, in the order of the text.
[[nodiscard]] std::vector<Span> expressions_of(const Pragma& pragma);

// The function before whose declaration the pragma stands; nothing if it stands in a function.
[[nodiscard]] const Function* annotated_function(const Pragma& pragma, const Outline& outline,
                                                 const std::vector<Token>& tokens);

// The replacements. Pragmas that stand nowhere sensible get an error.
[[nodiscard]] Edits make_probes(const Source& source, const std::vector<Token>& tokens,
                                const std::vector<Pragma>& pragmas, const Outline& outline,
                                Diagnostics& diagnostics);

// The cursors of a pragma's expressions, by the begin of their text, found in `tree`.
using Expressions = std::map<std::size_t, CXCursor>;
[[nodiscard]] Expressions find_expressions(CXCursor tree, const Pragma& pragma, const Edits& edits);

}  // namespace myr::translate
