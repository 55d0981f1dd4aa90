// SPDX-License-Identifier: Apache-2.0
//
// The names of all environment variables of Myrmidon, and what to say of one that begins like them
// but is none: a mistyped variable has no effect, which nothing else would tell.
// docs/user/variables.md has the same names.
//
// Threads: any, but not while another one changes the environment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace myr::base {

// What to say of each name, in the order of `names`, that begins with MYR_ and is no variable of
// Myrmidon's: "MYR_STAT is unknown and has no effect; did you mean MYR_STATS?"
[[nodiscard]] std::vector<std::string> unknown_variables(const std::vector<std::string>& names);

// The same of the environment; nothing from the second call on.
[[nodiscard]] std::vector<std::string> take_unknown_variables();

}  // namespace myr::base
