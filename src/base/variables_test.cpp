// SPDX-License-Identifier: Apache-2.0
#include "base/variables.hpp"

#include <doctest/doctest.h>

using myr::base::unknown_variables;

TEST_CASE("a variable that is unknown is named, with the nearest that is known") {
  const auto said =
      unknown_variables({"MYR_STAT", "PATH", "MYR_ON", "MYR_CHOAS", "MYR_", "MYRMIDON", "MY_ON"});
  REQUIRE(said.size() == 3);
  CHECK(said[0] == "MYR_STAT is unknown and has no effect; did you mean MYR_STATS?");
  CHECK(said[1] == "MYR_CHOAS is unknown and has no effect; did you mean MYR_CHAOS?");
  CHECK(said[2].starts_with("MYR_ is unknown"));
  CHECK(unknown_variables({}).empty());
}
