// SPDX-License-Identifier: Apache-2.0
//
// Finds out, without a compiler, whether a source can hold anything to translate: most files of a
// project need not be read by Clang at all. Headers that hold pragmas become part of the source
// that includes them, so that what they spawn is translated like everything else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "translate/driver/command_line.hpp"
#include "translate/lex/source.hpp"

namespace myr::translate {

struct Loaded {
  Source source;
  bool relevant = false;              // there is one of our pragmas in it
  std::vector<std::string> included;  // headers that became part of it
};

// `text` is what `path` holds. Looks at all parts of the files, also those that the preprocessor
// leaves out, but only at files in the folders that the command names.
[[nodiscard]] Loaded load_source(const std::string& path, const std::string& text,
                                 const Command& command);

}  // namespace myr::translate
