// SPDX-License-Identifier: Apache-2.0
//
// The names of OpenMP's directives: which of them matter to tasks, and how.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "translate/pragma/pragma.hpp"

namespace myr::translate {

struct Directive {
  PragmaKind kind = PragmaKind::Construct;
  std::vector<Leaf> leaves;
  std::size_t word_count = 0;  // of its name
};

// The directive whose name these words begin with; nothing if tasks have nothing to do with it.
[[nodiscard]] std::optional<Directive> directive_of(const std::vector<std::string_view>& words);

// Why tasks do not work with a Foreign directive, and what to write instead.
[[nodiscard]] std::string_view why_foreign(std::string_view word);

}  // namespace myr::translate
