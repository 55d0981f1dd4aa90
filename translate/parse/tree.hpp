// SPDX-License-Identifier: Apache-2.0
//
// What those who bind pragmas to code share.
#pragma once

#include <vector>

#include "translate/parse/access.hpp"
#include "translate/parse/clang.hpp"
#include "translate/parse/edits.hpp"
#include "translate/parse/outline.hpp"
#include "translate/parse/reader.hpp"

namespace myr::translate {

// A source as Clang has read it, with probes in the place of its pragmas, and what is made of it.
struct Tree {
  Language language;
  const ReadOptions& options;
  const Source& source;
  const std::vector<Token>& tokens;
  const clang::Unit& unit;
  const std::vector<Span>& skipped;  // what the preprocessor leaves out
  const Outline& outline;            // of the source without probes
  const Edits& edits;
  Reading& reading;
  Diagnostics& diagnostics;

  // Where it stands in the source; {0, 0} if that is in another file.
  [[nodiscard]] Span place(CXCursor cursor) const;
};

// Fills in what the clauses of the site's pragma say about when its task runs.
void add_conditions(Site& site);

[[nodiscard]] std::vector<Access> unbound(const std::vector<BoundAccess>& bound);

}  // namespace myr::translate
