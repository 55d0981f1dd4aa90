// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/copies.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <set>

using myr::cluster::mpi::Copies;

TEST_CASE("copies are remembered as by a table of bytes") {
  constexpr std::uint64_t kBytes = 200;
  struct Byte {
    std::uint64_t version = 0;  // 0: none
    Copies::Arrival arrival = 0;
  };
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    Copies copies;
    std::array<Byte, kBytes> expected{};
    for (Copies::Arrival step = 1; step <= 200; ++step) {
      const std::uint64_t first = random() % kBytes;
      const Copies::Range range{first, random() % (kBytes - first + 1)};
      const std::uint64_t version = 1 + random() % 3;
      std::set<Copies::Arrival> come;
      std::set<Copies::Arrival> expected_to_come;
      std::set<std::uint64_t> lacking;
      std::set<std::uint64_t> expected_to_lack;
      for (const Copies::Range& part :
           copies.lacking(range, version, [&](Copies::Arrival arrival) { come.insert(arrival); })) {
        for (std::uint64_t i = 0; i < part.bytes; ++i) lacking.insert(part.address + i);
      }
      for (std::uint64_t i = first; i < first + range.bytes; ++i) {
        if (expected[i].version == version) {
          expected_to_come.insert(expected[i].arrival);
        } else {
          expected_to_lack.insert(i);
        }
      }
      CHECK(come == expected_to_come);
      CHECK(lacking == expected_to_lack);
      const bool is_added = random() % 3 != 0;
      if (is_added) {
        copies.add(range, version, step, step);
      } else {
        copies.forget(range);
      }
      for (std::uint64_t i = first; i < first + range.bytes; ++i) {
        expected[i] = is_added ? Byte{version, step} : Byte{};
      }
    }
    CHECK(copies.count() <= kBytes);
  }
}
