// SPDX-License-Identifier: Apache-2.0
//
// Directives of the preprocessor in and around a block, which may keep it from becoming a task.
#pragma once

#include <vector>

#include "translate/lex/language.hpp"
#include "translate/lex/scanner.hpp"
#include "translate/report/diagnostics.hpp"

namespace myr::translate {

struct PlacedBlock {
  std::size_t pragma_end = 0;
  Span statement;
};

// Errors: other pragmas between the task's and the block; an #if that is not all inside or all
// outside; in C, where the block moves, what later text may need.
void check_directives(const Source& source, const std::vector<Token>& tokens, PlacedBlock block,
                      Language language, Diagnostics& diagnostics);

}  // namespace myr::translate
