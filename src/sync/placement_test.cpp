// SPDX-License-Identifier: Apache-2.0
#include "sync/placement.hpp"

#include <doctest/doctest.h>

using myr::sync::Place;
using myr::sync::Placement;

TEST_CASE("a place belongs to the first worker, and to another that uses it twice in a row") {
  Place place;
  place.offer(7);
  CHECK(place.worker() == 7);
  place.offer(3);
  CHECK(place.worker() == 7);
  place.note(0);
  CHECK(place.worker() == 7);
  place.note(7);
  place.note(0);
  CHECK(place.worker() == 7);  // its owner came between
  place.note(2);
  CHECK(place.worker() == 7);  // two others
  place.note(2);
  CHECK(place.worker() == 2);
}

TEST_CASE("a placement is a certain worker, or the owner of a place at the time") {
  CHECK(Placement::at(0).worker(8) == 0);
  CHECK(Placement::at(1023).worker(8) == 1023);
  Place place;
  const Placement there(place);
  place.note(4);
  CHECK(there.worker(8) == 4);
  place.note(5);
  place.note(5);
  CHECK(there.worker(8) == 5);
  CHECK(there.worker(4) == 1);  // the machine was started again, with fewer
}
