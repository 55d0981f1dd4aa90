// SPDX-License-Identifier: Apache-2.0
#include "base/probes.hpp"

#include <doctest/doctest.h>

namespace {

using Probes = myr::base::Probes<10'000, 10'000, 2'560'000>;

constexpr std::uint64_t kNow = 1'000'000'000;

// A probe that keeps the thief busy for so long. Returns how long it is to wait then.
std::uint64_t pause_after(Probes& probes, std::uint64_t busy_ticks) {
  probes.begin(kNow);
  const std::uint64_t end = kNow + busy_ticks;
  static_cast<void>(probes.may_begin(end));
  std::uint64_t pause = 0;
  for (std::uint64_t step = 2 * Probes::kPauseMax; step != 0; step /= 2) {
    if (!probes.may_begin(end + pause + step - 1)) pause += step;
  }
  return pause;
}

}  // namespace

TEST_CASE("the first probe may be made at once") { CHECK(Probes().may_begin(0)); }

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
  CHECK(probes.may_begin(kNow + 10 * Probes::kPauseMax));
  CHECK(pause_after(probes, 1) == 2 * Probes::kPauseMin);
}

TEST_CASE("several tasks have to keep a thief busy for longer") {
  Probes probes;
  probes.begin(kNow, 3);
  CHECK_FALSE(probes.may_begin(kNow + 3 * Probes::kWorthTicks - 1));
  probes.begin(kNow, 3);
  CHECK(probes.may_begin(kNow + 3 * Probes::kWorthTicks));
}

TEST_CASE("a victim without tasks is left alone for a while") {
  Probes probes;
  probes.put_off(kNow);
  CHECK_FALSE(probes.may_begin(kNow + Probes::kPauseMin - 1));
  CHECK(probes.may_begin(kNow + Probes::kPauseMin));
}
