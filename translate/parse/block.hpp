// SPDX-License-Identifier: Apache-2.0
//
// A statement as a task: which variables of the function around it it uses, and how it gets them.
#pragma once

#include <vector>

#include "translate/parse/access.hpp"

namespace myr::translate {

struct BlockContext {
  const Source& source;
  const Edits& edits;
  const Pragma& pragma;
  const Expressions& expressions;
  const std::vector<BoundAccess>& accesses;
  Diagnostics& diagnostics;
};

// The variables of the functions around `statement` that it uses. Errors: what cannot leave its
// function, like `return`.
[[nodiscard]] std::vector<Variable> bind_block(CXCursor statement, const BlockContext& context);

}  // namespace myr::translate
