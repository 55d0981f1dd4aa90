// SPDX-License-Identifier: Apache-2.0
#include "base/result.hpp"

#include <doctest/doctest.h>

TEST_CASE("a result holds a value or an error") {
  const myr::base::Result<int> good = 3;
  CHECK(static_cast<bool>(good));
  CHECK(*good == 3);
  const myr::base::Result<int> bad = myr::base::Error{"no"};
  CHECK_FALSE(static_cast<bool>(bad));
  CHECK(bad.error().text == "no");
}
