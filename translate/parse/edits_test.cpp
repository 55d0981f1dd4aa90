// SPDX-License-Identifier: Apache-2.0
#include "translate/parse/edits.hpp"

#include <doctest/doctest.h>

using namespace myr::translate;

TEST_CASE("places in an edited text lead back to where they came from") {
  const Source source("a.c", "abc#in(x)def");
  Edits edits(source);
  edits.replace({12, 12}, {{" end"}});
  edits.replace({3, 9}, {{"while("}, {"x", 7}, {")"}});
  CHECK(edits.apply() == "abcwhile(x)def end");
  CHECK(edits.to_source(2) == 2);
  CHECK(edits.to_source(5) == 3);  // added text stands for what it replaced
  CHECK(edits.to_source(9) == 7);  // but x is the user's own
  CHECK(edits.to_source(12) == 10);
  CHECK(edits.to_source({11, 14}) == Span{9, 12});
  CHECK(edits.to_source(Span{4, 4}) == Span{3, 3});
}

TEST_CASE("without replacements nothing changes") {
  const Source source("a.c", "text");
  Edits edits(source);
  CHECK(edits.apply() == "text");
  CHECK(edits.to_source(3) == 3);
}
