// SPDX-License-Identifier: Apache-2.0
#include "transport/sim/chip.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace myr::transport::sim {

TEST_CASE("messages take as long as paper 1 states: 38 to 131 cycles to and fro") {
  const Chip chip = Chip::named("formic-512").value();
  REQUIRE(chip.core_count() == 512);
  Cycles nearest = ~Cycles{0};
  Cycles farthest = 0;
  for (CoreIndex core = 1; core < chip.core_count(); ++core) {
    const Cycles round_trip = chip.latency(0, core) + chip.latency(core, 0);
    nearest = std::min(nearest, round_trip);
    farthest = std::max(farthest, round_trip);
  }
  CHECK(nearest == 38);
  CHECK(farthest >= 130);  // latencies are whole cycles
  CHECK(farthest <= 131);
}

TEST_CASE("strong cores are beside the mesh, and faster") {
  const Chip chip = Chip::named("formic-520").value();
  CHECK(chip.cores().strong == 8);
  CHECK(chip.is_strong(7));
  CHECK_FALSE(chip.is_strong(8));
  CHECK(chip.hops(0, 3) == 0);
  CHECK(chip.hops(0, 4) > 1);
  for (CoreIndex weak = 8; weak < 520; ++weak) CHECK(chip.hops(0, weak) >= 1);
  CHECK(chip.scaled(0, 7'500) == 1'000);
  CHECK(chip.scaled(8, 7'500) == 7'500);
}

TEST_CASE("neighbours in number share a board") {
  const Chip chip = Chip::named("formic-0+4096").value();
  for (CoreIndex core = 0; core < 8; ++core) CHECK(chip.hops(0, core) == 0);
  for (CoreIndex core = 8; core < 64; ++core) CHECK(chip.hops(0, core) <= 3);
}

TEST_CASE("the SCC has its cores by quarters, and messages that take longer the farther they go") {
  const Chip chip = Chip::named("scc-48-tree").value();
  REQUIRE(chip.core_count() == scc::kCores);
  CHECK(chip.shares_memory());
  CHECK_FALSE(Chip::named("formic-520")->shares_memory());
  for (CoreIndex core = 0; core < chip.core_count(); ++core) {
    CHECK(scc::own_controller(chip.number_of(core)) == core / 12);
    for (CoreIndex other = 0; other < chip.core_count(); ++other) {
      CHECK(chip.hops(core, other) == scc::hops(chip.number_of(core), chip.number_of(other)));
    }
  }
  CHECK(chip.latency(0, 1) < chip.latency(0, 47));
}

TEST_CASE("sizes of the family") {
  CHECK(Chip::named("formic-128+16256").value().core_count() == Chip::kCoresMax);
  CHECK(Chip::named("formic-0+1").value().core_count() == 1);
  for (const std::string name :
       {"formic-128+16257", "formic-8+0", "formic-8", "formic-+", "formic-1+2x", "tile-64", ""}) {
    CAPTURE(name);
    CHECK_FALSE(Chip::named(name));
  }
}

}  // namespace myr::transport::sim
