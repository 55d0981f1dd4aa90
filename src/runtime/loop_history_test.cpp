// SPDX-License-Identifier: Apache-2.0
#include "runtime/loop_history.hpp"

#include <doctest/doctest.h>

using myr::runtime::LoopHistory;
using myr::runtime::LoopPlaces;

TEST_CASE("loops over the same range share their places, others do not") {
  LoopHistory& history = LoopHistory::instance();
  history.places(3, 11).note(0, LoopPlaces::kSlots, 5);
  CHECK(history.places(3, 11).at(LoopPlaces::kSlots - 1).worker() == 5);
  CHECK(history.places(3, 12).at(0).worker() == 0);
}
