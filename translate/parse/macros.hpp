// SPDX-License-Identifier: Apache-2.0
//
// Macros in a block of C. Some of its variables have other names in the task; but a macro may name
// one, or make a string of its name. So around such a macro the variable keeps its own name, itself
// as a macro, unless the name means something else there as well.
#pragma once

#include <string>
#include <vector>

#include "translate/parse/block.hpp"

namespace myr::translate {

struct MacroContext {
  CXCursor statement;
  const BlockContext& block;
  const std::vector<CXCursor>& declarations;     // of the block's variables
  const std::vector<std::vector<Span>>& hidden;  // for each, uses that macros make
};

// Adds the macros to `block`, whose variables are bound.
void bind_macros(const MacroContext& context, Block& block);

void forbid_macro_of(const std::string& variable, Span macro, Diagnostics& diagnostics);

}  // namespace myr::translate
