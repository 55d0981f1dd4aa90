// SPDX-License-Identifier: Apache-2.0
//
// Reads a source: finds its pragmas and asks Clang what they, and the code that they are about,
// mean.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "translate/lex/language.hpp"
#include "translate/parse/model.hpp"
#include "translate/report/diagnostics.hpp"

namespace myr::translate {

struct Reading {
  std::vector<Pragma> pragmas;
  std::deque<Enclosing> enclosings;
  std::vector<Site> sites;  // in the order of the text; an inner one behind the one around it
  std::vector<Prototype> prototypes;
  std::optional<MainFunction> main;
  std::vector<Renamed> renamed;  // OpenMP's routines, and bodies of functions that are tasks
  std::vector<Disguised> disguised;
  std::string unit;                 // a name that no other translation has
  std::vector<std::string> macros;  // of the program, that the runtime's headers must not see
  std::vector<Span> inactive;       // pragmas in parts that Clang's preprocessor leaves out
  std::vector<Span> left_out;       // the first line of each such part
  std::vector<Span> unheard;        // of OpenMP, which the compiler must not obey
};

// What read() needs to know besides the source.
struct ReadOptions {
  Language language = Language::C;
  std::vector<std::string> arguments;  // for Clang
  std::string main_function;           // the one to look for; empty: none
  bool quiet = false;                  // no warnings
  bool openmp = false;                 // the compiler obeys OpenMP's pragmas
  bool simd = false;                   // at least those of them that are no threads' business
  bool by_clang = false;               // the compiler is Clang, too
};

enum class ReadFailure {
  None,
  Pragmas,  // something about the pragmas, which only myrcc can tell
  Code,     // Clang does not accept the code; perhaps the compiler has better words for that
};

// Nothing after an error; `failure` then tells which. Nothing either if macros make pragmas: then
// `expanded` is the source that is to be read instead.
[[nodiscard]] std::optional<Reading> read(const Source& source, const ReadOptions& options,
                                          Diagnostics& diagnostics, ReadFailure& failure,
                                          std::optional<Source>& expanded);

}  // namespace myr::translate
