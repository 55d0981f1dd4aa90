// SPDX-License-Identifier: Apache-2.0
//
// The names of the directives of OpenMP and OmpSs-2: which of them matter to tasks, and how.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "translate/pragma/pragma.hpp"

namespace myr::translate {

struct Directive {
  PragmaKind kind = PragmaKind::Construct;
  std::vector<Leaf> leaves;
  std::size_t word_count = 0;  // of its name
};

// Whether our pragmas begin with the word.
[[nodiscard]] bool begins_pragma(std::string_view word);

// The directive of OpenMP's whose name these words begin with; nothing if tasks have nothing to do
// with it.
[[nodiscard]] std::optional<Directive> openmp_directive(const std::vector<std::string_view>& words);

// The same for OmpSs-2, all of whose directives have to do with tasks.
[[nodiscard]] Directive ompss2_directive(const std::vector<std::string_view>& words);

// Why tasks do not work with a Foreign directive, and what to write instead.
[[nodiscard]] std::string_view why_foreign(std::string_view word);

// What to say of an Unknown directive.
[[nodiscard]] std::string about_unknown(Form form, std::string_view word);

}  // namespace myr::translate
