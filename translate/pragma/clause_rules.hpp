// SPDX-License-Identifier: Apache-2.0
//
// The clauses that each pragma may have, and how each is to be read.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "translate/pragma/pragma.hpp"

namespace myr::translate {

struct ClauseRule {
  enum class Takes {
    Items,       // (list)
    Expression,  // (expression)
    Anything,    // (whatever), or nothing
    Nothing,
    Dependence,  // (in : list) and so on
    Default,     // (shared) and so on
    Reduction,   // (+ : list)
    Condition,   // (expression), (task : expression)
    Strict,      // (expression), (strict : expression)
    Device,      // (smp)
    Refused,
  };
  Clause::Kind kind = Clause::Kind::Ignored;
  Takes takes = Takes::Anything;
  Mode mode = Mode::InOut;
  bool weak = false;
  std::string_view why = {};  // of Refused: the reason, and what to write instead
};
using ClauseRules = std::map<std::string_view, ClauseRule>;

[[nodiscard]] const ClauseRules& clause_rules(const Pragma& pragma);

// The names of the clauses that the pragma may have: "in, inout, out".
[[nodiscard]] std::string known_clauses(const Pragma& pragma);

}  // namespace myr::translate
