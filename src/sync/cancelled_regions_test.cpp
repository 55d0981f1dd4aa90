// SPDX-License-Identifier: Apache-2.0
#include "sync/cancelled_regions.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <thread>

using myr::sync::CancelledRegions;

TEST_CASE("a region that ends while it is cancelled is not kept") {
  constexpr std::uint64_t kRegions = 300;
  std::atomic<std::uint64_t> live{0}, begun{0}, over{0};  // numbers of regions
  const auto await = [](const std::atomic<std::uint64_t>& number, std::uint64_t region) {
    while (number.load() != region) std::this_thread::yield();
  };
  std::thread owner([&] {
    for (std::uint64_t region = 1; region <= kRegions; ++region) {
      live = region;
      await(begun, region);
      live = 0;
      CancelledRegions::remove(region);
      await(over, region);
    }
  });
  for (std::uint64_t region = 1; region <= kRegions; ++region) {
    await(live, region);
    begun = region;
    CancelledRegions::add(region);
    if (live.load() != region) CancelledRegions::remove(region);
    over = region;
  }
  owner.join();
  CHECK_FALSE(CancelledRegions::has_some());
}
