// SPDX-License-Identifier: Apache-2.0
#include "engine/probes.hpp"

#include <doctest/doctest.h>

using myr::engine::Probes;

namespace {

constexpr std::uint64_t kNow = 1'000'000'000;

// A probe that keeps the thief busy for so long. Returns how long it is to wait then.
std::uint64_t pause_after(Probes& probes, std::uint64_t busy_ticks) {
  probes.begin(kNow);
  const std::uint64_t end = kNow + busy_ticks;
  probes.end(end);
  std::uint64_t pause = 0;
  for (std::uint64_t step = 2 * Probes::kPauseMax; step != 0; step /= 2) {
    if (!probes.is_due(end + pause + step - 1)) pause += step;
  }
  return pause;
}

}  // namespace

TEST_CASE("the first probe may be made at once") { CHECK(Probes().is_due(0)); }

TEST_CASE("pauses behind probes that do not pay double, up to a limit") {
  Probes probes;
  std::uint64_t expected = Probes::kPauseMin;
  for (int i = 0; i < 20; ++i) {
    CHECK(pause_after(probes, Probes::kWorthTicks - 1) == expected);
    if (expected < Probes::kPauseMax) expected *= 2;
  }
  CHECK(expected == Probes::kPauseMax);
}

TEST_CASE("behind a probe that pays there is no pause, and the next ones begin anew") {
  Probes probes;
  for (int i = 0; i < 5; ++i) static_cast<void>(pause_after(probes, 1));
  CHECK(pause_after(probes, Probes::kWorthTicks) == 0);
  CHECK(pause_after(probes, 1) == Probes::kPauseMin);
}

TEST_CASE("who has nothing to do without a probe learns nothing") {
  Probes probes;
  static_cast<void>(pause_after(probes, 1));
  probes.end(kNow + 10 * Probes::kPauseMax);
  CHECK(probes.is_due(kNow + 10 * Probes::kPauseMax));
  CHECK(pause_after(probes, 1) == 2 * Probes::kPauseMin);
}

TEST_CASE("a victim without tasks is left alone for a while") {
  Probes probes;
  probes.put_off(kNow);
  CHECK_FALSE(probes.is_due(kNow + Probes::kPauseMin - 1));
  CHECK(probes.is_due(kNow + Probes::kPauseMin));
}
