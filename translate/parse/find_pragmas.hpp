// SPDX-License-Identifier: Apache-2.0
//
// Finds all pragmas of a source, and makes sure that none is overlooked.
#pragma once

#include <vector>

#include "translate/lex/scanner.hpp"
#include "translate/parse/clang.hpp"
#include "translate/parse/reader.hpp"

namespace myr::translate {

// Fills in `pragmas`, `inactive`, `left_out` and `unheard`. `unit` has read the source as it is.
void find_pragmas(const Source& source, const std::vector<Token>& tokens, const clang::Unit& unit,
                  const ReadOptions& options, Reading& reading, Diagnostics& diagnostics);

}  // namespace myr::translate
