// SPDX-License-Identifier: Apache-2.0
//
// A statement as a task: which variables of the function around it it uses, and how it gets them.
#pragma once

#include <vector>

#include "translate/lex/language.hpp"
#include "translate/parse/access.hpp"

namespace myr::translate {

struct BlockContext {
  Language language;
  const Source& source;
  const Edits& edits;
  const Pragma& pragma;
  const Expressions& expressions;
  const std::vector<BoundAccess>& accesses;
  Diagnostics& diagnostics;
};

// Errors: what cannot leave its function, like `return`.
[[nodiscard]] Block bind_block(CXCursor statement, const BlockContext& context);

}  // namespace myr::translate
