// SPDX-License-Identifier: Apache-2.0
//
// Arguments that have the same value whenever they are computed.
#pragma once

#include <functional>

#include "translate/parse/clang.hpp"

namespace myr::translate {

// Whether the arguments of the call consist of constants and of variables that `may_use` allows,
// and read no other memory. `address`: the variable's address is what counts.
using MayUse = std::function<bool(CXCursor variable, bool address)>;
[[nodiscard]] bool has_plain_arguments(CXCursor call, const MayUse& may_use);

}  // namespace myr::translate
