// SPDX-License-Identifier: Apache-2.0
//
// Lets Clang read a source with the macros that the program's own compiler predefines, so that
// `#if __GNUC__ >= 7` and the like choose for myrcc what they choose for the compiler.
#pragma once

#include <string>
#include <vector>

#include "translate/driver/command_line.hpp"
#include "translate/lex/language.hpp"

namespace myr::translate {

// Options for Clang. Asks the compiler (one run of its preprocessor on an empty source); none if it
// does not answer, which the compilation itself will report.
[[nodiscard]] std::vector<std::string> predefined_macros(const Command& command, Language language);

// The same from what the compiler prints for -dM.
[[nodiscard]] std::vector<std::string> options_from(const std::string& listed, Language language);

}  // namespace myr::translate
