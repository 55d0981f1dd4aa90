// SPDX-License-Identifier: Apache-2.0
//
// A statement as a task: which variables of the function around it it uses, and how it gets them.
#pragma once

#include <vector>

#include "translate/lex/language.hpp"
#include "translate/parse/access.hpp"
#include "translate/parse/nest.hpp"

namespace myr::translate {

struct BlockContext {
  Language language;
  const Source& source;
  const Edits& edits;
  const Pragma& pragma;
  const Expressions& expressions;
  const std::vector<BoundAccess>& accesses;
  Diagnostics& diagnostics;
  const Nest& nest;
  bool by_clang = false;  // the compiler behind is Clang
};

// Errors: what cannot leave its function, like `return`. `counter`: the variable of the loop whose
// body the statement is, in which `continue` is allowed.
[[nodiscard]] Block bind_block(CXCursor statement, const BlockContext& context,
                               CXCursor counter = clang_getNullCursor());

// A variable of a function, static ones included.
[[nodiscard]] bool is_local(CXCursor declaration);

}  // namespace myr::translate
