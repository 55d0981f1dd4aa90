// SPDX-License-Identifier: Apache-2.0
#include "base/bits.hpp"

#include <doctest/doctest.h>

TEST_CASE("rounding to a power of two") {
  CHECK(myr::base::round_up(0, 64) == 0);
  CHECK(myr::base::round_up(1, 64) == 64);
  CHECK(myr::base::round_up(64, 64) == 64);
  CHECK(myr::base::round_down(127, 64) == 64);
}
