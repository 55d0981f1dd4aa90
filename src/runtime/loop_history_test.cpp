// SPDX-License-Identifier: Apache-2.0
#include "runtime/loop_history.hpp"

#include <doctest/doctest.h>

using myr::runtime::LoopHistory;
using myr::runtime::LoopPlaces;

TEST_CASE("a slot belongs to the first worker, and to another that runs it twice in a row") {
  LoopPlaces places;
  CHECK(places.get(0, 7) == 7);
  places.note(0, 2, 1);
  CHECK(places.get(0, 7) == 1);
  places.note(0, 2, 0);
  CHECK(places.get(0, 7) == 1);
  places.note(0, 1, 1);
  places.note(0, 2, 0);
  CHECK(places.get(0, 7) == 1);  // its own worker came between
  CHECK(places.get(1, 7) == 0);  // twice in a row
  places.note(0, 1, 2);
  CHECK(places.get(0, 7) == 1);  // two others
  places.note(0, 1, 2);
  CHECK(places.get(0, 7) == 2);
  CHECK(places.get(2, 7) == 7);
}

TEST_CASE("loops over the same range share their places, others do not") {
  LoopHistory& history = LoopHistory::instance();
  history.places(3, 11).note(0, LoopPlaces::kSlots, 5);
  CHECK(history.places(3, 11).get(LoopPlaces::kSlots - 1, 0) == 5);
  CHECK(history.places(3, 12).get(0, 0) == 0);
}
