// SPDX-License-Identifier: Apache-2.0
#include "engine/main_place.hpp"

#include <doctest/doctest.h>

#include <array>

using myr::engine::MainPlace;
using myr::engine::Place;

TEST_CASE("main's places are told apart until there is no room, and the others together") {
  constexpr std::size_t kRoom = 512;
  static std::array<myr_site, 2 * kRoom> sites{};
  MainPlace::begin(true);
  for (int round = 0; round < 2; ++round) {
    for (const myr_site& site : sites) MainPlace::move_to({Place::Kind::Wait, &site});
  }
  CHECK(MainPlace::now() == kRoom - 1);
  CHECK(MainPlace::move_to({}).kind == Place::Kind::Others);
  CHECK(MainPlace::now() == 0);
  CHECK(MainPlace::times().size() == kRoom);
  CHECK(MainPlace::place(kRoom - 2) == Place{Place::Kind::Wait, &sites[kRoom - 3]});
  CHECK(MainPlace::place(kRoom - 1) == Place{Place::Kind::Others, nullptr});
  MainPlace::begin(false);
}
