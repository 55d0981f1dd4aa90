// SPDX-License-Identifier: Apache-2.0
#include "engine/small_functions.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace myr;
using engine::SmallFunctions;

namespace {

void one(void*, const myr_access*) {}
void other(void*, const myr_access*) {}

// How many small tasks in a row until the function is trusted.
unsigned until_trusted(SmallFunctions& functions, myr_body function) {
  unsigned count = 0;
  for (; !functions.contains(function); ++count) functions.note(function, true);
  return count;
}

}  // namespace

TEST_CASE("a function is trusted after many small tasks in a row") {
  SmallFunctions functions;
  CHECK_FALSE(functions.contains(one));
  CHECK(until_trusted(functions, one) == SmallFunctions::kTrustedAfter);
  CHECK_FALSE(functions.contains(other));
}

TEST_CASE("each larger task doubles how many it takes, up to a limit") {
  SmallFunctions functions;
  unsigned needed = SmallFunctions::kTrustedAfter;
  for (int i = 0; i < 40; ++i) {
    CHECK(until_trusted(functions, one) == needed);
    functions.note(one, false);
    CHECK_FALSE(functions.contains(one));
    needed = std::min(2 * needed, 1U << 20);
  }
}

TEST_CASE("a larger task in between begins the row anew") {
  SmallFunctions functions;
  for (unsigned i = 1; i < SmallFunctions::kTrustedAfter; ++i) functions.note(one, true);
  functions.note(one, false);
  CHECK(until_trusted(functions, one) == 2 * SmallFunctions::kTrustedAfter);
}
