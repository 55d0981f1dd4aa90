// SPDX-License-Identifier: Apache-2.0
//
// Writes the translation of a source: the user's own text, with its lines where they were, in which
// sites have become code that makes tasks (task_text.hpp). The headers that this needs are included
// before the function around the first site.
#pragma once

#include <string>

#include "translate/lex/language.hpp"
#include "translate/parse/reader.hpp"

namespace myr::translate {

[[nodiscard]] std::string emit(const Source& source, const Reading& reading, Language language);

}  // namespace myr::translate
