// SPDX-License-Identifier: Apache-2.0
//
// OpenMP's constructs around tasks as code: what stands before the statement and behind it. The
// same in both languages except for the types, which C++ asks for in another way.
#pragma once

#include <string>

#include "translate/emit/page.hpp"

namespace myr::translate {

// Statements in the words of the language.
struct ConstructCalls {
  std::string wait;   // for the tasks, at the end
  std::string check;  // that this is no team of the compiler's
  std::string enter;  // a critical region
  std::string leave;
  std::string step;  // the begin of one that is recorded
  std::string step_end;
};
[[nodiscard]] Around around(const Construct& construct, const ConstructCalls& calls,
                            const Renderer& renderer, Language language);

// A declaration of the pointer myrcc_p_NAME to the variable, and the type of what it leads to.
[[nodiscard]] std::string pointer_to(const std::string& name, Language language);
[[nodiscard]] std::string type_of(const std::string& name, Language language);

// `target = target OP value`, as a statement.
[[nodiscard]] std::string combined(const Reduction& reduction, const std::string& target,
                                   const std::string& value);
// What a variable of this name starts with.
[[nodiscard]] std::string identity(const Reduction& reduction, const std::string& name,
                                   Language language);

// The head of a loop whose iterations become tasks: constants myrcc_first, myrcc_step and
// myrcc_chunks.
[[nodiscard]] std::string loop_head(const Loop& loop, const Renderer& renderer, Language language);
// The loop around the iterations of one task, up to and with the variable; two braces close it.
[[nodiscard]] std::string iterations(const Loop& loop, const std::string& first,
                                     const std::string& step, const std::string& chunk);

}  // namespace myr::translate
