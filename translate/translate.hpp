// SPDX-License-Identifier: Apache-2.0
//
// The translation of one source, from text to text: what all of myrcc is about.
#pragma once

#include <optional>
#include <string>

#include "translate/lex/source.hpp"
#include "translate/parse/reader.hpp"

namespace myr::translate {

struct Translation {
  std::optional<std::string> text;  // nothing after an error
  std::string messages;             // for people
  bool code_refused = false;        // the error is about the code, not about its pragmas
  bool unchanged = false;           // there is nothing to translate
  bool has_main = false;            // the main function that was asked for is in this source
};

[[nodiscard]] Translation translate(const Source& source, const ReadOptions& options);

}  // namespace myr::translate
