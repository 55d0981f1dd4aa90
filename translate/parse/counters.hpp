// SPDX-License-Identifier: Apache-2.0
//
// Items of a taskloop that name the variable of the loop: each stands for one item for every
// iteration of a task.
#pragma once

#include <vector>

#include "translate/lex/scanner.hpp"
#include "translate/pragma/pragma.hpp"

namespace myr::translate {

// Sets Item::counter of such items. `tokens`: the whole source's. A loop that is not as expected
// is left to bind_loop(), which says so.
void find_counters(const Source& source, const std::vector<Token>& tokens,
                   std::vector<Pragma>& pragmas);

}  // namespace myr::translate
