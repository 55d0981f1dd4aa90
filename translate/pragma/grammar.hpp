// SPDX-License-Identifier: Apache-2.0
//
// Reads the text of a directive as one of the pragmas that myrcc translates.
#pragma once

#include <optional>

#include "translate/lex/scanner.hpp"
#include "translate/pragma/pragma.hpp"
#include "translate/report/diagnostics.hpp"

namespace myr::translate {

// The pragma that the Directive `directive` is; nothing if it is none of ours, or after an error.
[[nodiscard]] std::optional<Pragma> parse_pragma(const Source& source, Span directive,
                                                 Diagnostics& diagnostics);

// What a directive, well formed or not, asks of myrcc.
enum class Interest {
  None,
  WithoutOpenMP,  // to be translated if the compiler does not obey OpenMP's pragmas
  Always,         // to be translated: it has to do with tasks, perhaps in other files
  Task,           // makes tasks or waits for them
};
[[nodiscard]] Interest interest_of(const Source& source, Span directive);
// The same for the text behind #pragma, or in _Pragma("").
[[nodiscard]] Interest interest_of(const std::string& text);

// Whether the directive is one of ours, well formed or not.
[[nodiscard]] bool is_our_pragma(const Source& source, Span directive);

}  // namespace myr::translate
