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

// Whether the directive is one of ours, well formed or not.
[[nodiscard]] bool is_our_pragma(const Source& source, Span directive);

}  // namespace myr::translate
