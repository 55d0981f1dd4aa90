// SPDX-License-Identifier: Apache-2.0
//
// A function that its declaration makes a task: what is needed to put another one under its name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "translate/parse/outline.hpp"
#include "translate/parse/tree.hpp"

namespace myr::translate {

// `cursor` is the declaration behind the pragma; `in_place`: the parameters that are references
// whose memory the accesses name. Nothing after an error.
[[nodiscard]] std::optional<TaskFunction> bind_task_function(CXCursor cursor,
                                                             const Function& function,
                                                             const std::vector<bool>& in_place,
                                                             const Tree& context);

}  // namespace myr::translate
