// SPDX-License-Identifier: Apache-2.0
//
// A call as a task: what is called, and with which parameters.
#pragma once

#include <optional>
#include <vector>

#include "translate/parse/access.hpp"
#include "translate/parse/tree.hpp"

namespace myr::translate {

// The call behind casts to void and parentheses; a null cursor if the statement is none.
[[nodiscard]] CXCursor call_of(CXCursor statement);

// The arguments of a call, for the rules of the Myrmics form.
[[nodiscard]] std::vector<Argument> arguments_of(CXCursor call, const Tree& context);

// Nothing if the call cannot be made from a list of values: then it is left to be a block. That is
// so if the callee's name comes from a macro, or if its parameters are unknown or not fixed.
[[nodiscard]] std::optional<Call> bind_call(CXCursor call, const std::vector<BoundAccess>& accesses,
                                            const Tree& context);

}  // namespace myr::translate
