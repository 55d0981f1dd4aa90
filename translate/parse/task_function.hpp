// SPDX-License-Identifier: Apache-2.0
//
// A function that its declaration makes a task: what is needed to put another one under its name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "translate/lex/language.hpp"
#include "translate/parse/edits.hpp"
#include "translate/parse/outline.hpp"

namespace myr::translate {

struct FunctionContext {
  Language language;
  const Source& source;
  const std::vector<Token>& tokens;
  const Edits& edits;
  Diagnostics& diagnostics;
};

// `cursor` is the declaration behind the pragma; `in_place`: the parameters that are references whose
// memory the accesses name. Nothing after an error.
[[nodiscard]] std::optional<TaskFunction> bind_task_function(CXCursor cursor,
                                                             const Function& function,
                                                             const std::vector<bool>& in_place,
                                                             const FunctionContext& context);

}  // namespace myr::translate
