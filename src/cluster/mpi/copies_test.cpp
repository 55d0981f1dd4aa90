// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/copies.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>

using myr::cluster::mpi::Copies;

TEST_CASE("copies are remembered as by a table of bytes") {
  constexpr std::uint64_t kBytes = 200;
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    Copies copies;
    std::array<std::uint64_t, kBytes> expected{};  // 0: none
    for (int step = 0; step < 200; ++step) {
      const std::uint64_t first = random() % kBytes;
      const Copies::Range range{first, random() % (kBytes - first + 1)};
      const std::uint64_t version = 1 + random() % 3;
      bool has_all = true;
      for (std::uint64_t i = first; i < first + range.bytes; ++i) has_all &= expected[i] == version;
      CHECK(copies.have(range, version) == has_all);
      const bool is_added = random() % 3 != 0;
      if (is_added) {
        copies.add(range, version);
      } else {
        copies.forget(range);
      }
      for (std::uint64_t i = first; i < first + range.bytes; ++i) {
        expected[i] = is_added ? version : 0;
      }
    }
    CHECK(copies.count() <= kBytes);
  }
}
