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
// outside.
void check_directives(const Source& source, const std::vector<Token>& tokens, PlacedBlock block,
                      Diagnostics& diagnostics);

// Errors: macros that the text of `used`, which the translation moves from the begin of `way` to
// its end, needs and that have another meaning there. `skipped`: what the preprocessor leaves out.
void check_macros(const Source& source, const std::vector<Token>& tokens, Span used, Span way,
                  const std::vector<Span>& skipped, Diagnostics& diagnostics);

}  // namespace myr::translate
