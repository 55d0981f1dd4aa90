// SPDX-License-Identifier: Apache-2.0
//
// Whether a source can hold anything to translate, found without a compiler: most files of a project
// need not be read by Clang at all.
#pragma once

#include <string>

#include "translate/driver/command_line.hpp"

namespace myr::translate {

// Whether the text, or a file that it includes from the folders of the user, has one of our pragmas.
// Looks at all parts, also those that the preprocessor would leave out.
[[nodiscard]] bool has_relevant_pragmas(const std::string& path, const std::string& text,
                                        const Command& command);

}  // namespace myr::translate
