// SPDX-License-Identifier: Apache-2.0
//
// Finds all pragmas of a source, and makes sure that none is overlooked.
#pragma once

#include <vector>

#include "translate/lex/scanner.hpp"
#include "translate/parse/clang.hpp"
#include "translate/parse/reader.hpp"

namespace myr::translate {

// Fills in `pragmas`, `inactive` and `left_out`. `unit` has read the source as it is; `openmp`: the compiler obeys
// OpenMP's pragmas.
void find_pragmas(const Source& source, const std::vector<Token>& tokens, const clang::Unit& unit,
                  bool openmp, Reading& reading, Diagnostics& diagnostics);

}  // namespace myr::translate
