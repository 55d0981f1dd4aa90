// SPDX-License-Identifier: Apache-2.0
//
// What OpenMP's constructs around tasks mean here. A parallel region is run by one thread, with its
// tasks on all: a team of one, which OpenMP allows. So constructs that share work among a team's
// threads are done by that one; only their barriers and their copies are left of them.
#pragma once

#include "translate/parse/block.hpp"
#include "translate/parse/nest.hpp"

namespace myr::translate {

// Errors: what leaves the construct early, copies that cannot be made.
[[nodiscard]] Construct bind_construct(const Placed& placed, const BlockContext& context);

// The loop of a taskloop. Nothing after an error.
[[nodiscard]] std::optional<Loop> bind_loop(const Placed& placed, const BlockContext& context);

}  // namespace myr::translate
