// SPDX-License-Identifier: Apache-2.0
//
// OpenMP's reductions: which variables, with which operator.
#pragma once

#include "translate/parse/block.hpp"

namespace myr::translate {

// The reduction that the clause asks for on a variable of this type. Errors: types without one.
[[nodiscard]] Reduction reduction_of(const Clause& clause, const Item& item, CXType type,
                                     const BlockContext& context);

}  // namespace myr::translate
