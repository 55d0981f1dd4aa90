// SPDX-License-Identifier: Apache-2.0
//
// The command line of myrcc: its own few options, and a compiler's, which are passed on. It looks
// only at the options that say what is compiled, from what, and to what.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "translate/lex/language.hpp"

namespace myr::translate {

// A word of the compiler's command line that names a source which may have to be translated.
struct Input {
  std::size_t word = 0;  // index into Command::words
  Language language = Language::C;
};

struct Command {
  enum class Own { None, Help, Version, Emit };
  Own own = Own::None;
  std::vector<std::string> compiler;  // the program and leading words, such as ccache
  std::vector<std::string> words;     // the compiler's arguments
  std::vector<Input> inputs;
  bool links = true;          // no -c, -S, -E, -M, -fsyntax-only
  bool only_lists = false;    // -M, -MM: prints what the user's own source includes
  bool has_objects = false;   // there is something to link besides sources
  bool makes_main = false;    // --main
  std::string main_function;  // its value; empty: named like the source
  std::optional<std::string> output;
  std::string depfile;  // of -MD and its kin; empty: the compiler's choice, or none
  bool writes_depfile = false;
};

// `compiler`: what --cc and the environment do not replace.
[[nodiscard]] base::Result<Command> parse_command_line(const std::vector<std::string>& words,
                                                       const std::string& compiler);

// The command of this process. `built_with`: the compiler that --cc and the variable MYR_CC
// replace.
[[nodiscard]] base::Result<Command> command_of(int argc, char** argv, const char* built_with);

// The options that Clang needs to read a source the way the compiler would.
[[nodiscard]] std::vector<std::string> parsing_options(const Command& command);

// The options that may change which macros the compiler predefines.
[[nodiscard]] std::vector<std::string> macro_options(const Command& command);

// Whether an option names a standard of C to a compiler of C++, or the other way round; compilers
// only warn of that.
[[nodiscard]] bool is_standard_of_other(std::string_view option, Language language);

// Whether the compiler is told to obey OpenMP's pragmas.
[[nodiscard]] bool obeys_openmp(const Command& command);

[[nodiscard]] std::string help_text();

}  // namespace myr::translate
