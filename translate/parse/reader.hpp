// SPDX-License-Identifier: Apache-2.0
//
// Reads a source: finds its pragmas and lets Clang say what they, and the code that they are about,
// mean.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "translate/parse/model.hpp"
#include "translate/report/diagnostics.hpp"

namespace myr::translate {

struct Reading {
  std::vector<Pragma> pragmas;
  std::deque<Enclosing> enclosings;
  std::vector<Site> sites;  // in the order of the text; an inner one behind the one around it
  std::vector<Prototype> prototypes;
  std::vector<Span> inactive;  // pragmas in parts that the preprocessor leaves out
};

// `arguments`: options for Clang. Nothing after an error.
[[nodiscard]] std::optional<Reading> read(const Source& source,
                                          const std::vector<std::string>& arguments,
                                          Diagnostics& diagnostics);

}  // namespace myr::translate
