// SPDX-License-Identifier: Apache-2.0
//
// The translation of one source, from text to text: what all of myrcc is about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "translate/lex/language.hpp"
#include "translate/lex/source.hpp"

namespace myr::translate {

struct Translation {
  std::optional<std::string> text;  // nothing after an error
  std::string messages;             // for people
  bool code_refused = false;        // the error is about the code, not about its pragmas
};

// `arguments`: how Clang must read the source.
[[nodiscard]] Translation translate(const Source& source, Language language,
                                    const std::vector<std::string>& arguments);

}  // namespace myr::translate
