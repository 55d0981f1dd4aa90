// SPDX-License-Identifier: Apache-2.0
#include "engine/pins.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "engine/worker.hpp"
#include "graph/test_space.hpp"
#include "plat/thread.hpp"

namespace {

using namespace myr;
using engine::nearest_first;

plat::CpuPlace place(const char* core, const char* cache, const char* package) {
  return {.sharers = {core, cache, package}};
}

TEST_CASE("the nearest come first, and the worker itself last") {
  const std::vector<plat::CpuPlace> places{place("0", "0-1", "0-3"), place("1", "0-1", "0-3"),
                                           place("2", "2-3", "0-3"), place("3", "2-3", "0-3"),
                                           place("4", "4", "4"),     place("0", "0-1", "0-3")};
  CHECK(nearest_first(places, 0) == std::vector<std::uint16_t>{5, 1, 2, 3, 4, 0});
  CHECK(nearest_first(places, 3) == std::vector<std::uint16_t>{2, 5, 0, 1, 4, 3});
}

TEST_CASE("where nothing is known of processors, each begins with the next") {
  const std::vector<plat::CpuPlace> places(3);
  CHECK(nearest_first(places, 1) == std::vector<std::uint16_t>{2, 0, 1});
}

TEST_CASE("main's thread is bound while the engine is there, and gets its processors back") {
  plat::CpuMask before;
  REQUIRE(before.read());
  {
    auto engine = engine::Engine::create(graph::test_space(), {.worker_count = 3, .pins = true});
    REQUIRE(static_cast<bool>(engine));
    CHECK(plat::bound_cpu_count() == 1);
    CHECK(sched_getcpu() == static_cast<int>(engine::Pins(1).cpu(0)));
  }
  plat::CpuMask after;
  REQUIRE(after.read());
  CHECK(after.count() == before.count());
}

TEST_CASE("workers beyond the processors share them in turn") {
  const auto usable = static_cast<unsigned>(plat::usable_cpus().size());
  const engine::Pins pins(2 * usable + 1);
  for (unsigned i = 0; i < usable; ++i) CHECK(pins.cpu(i) == pins.cpu(i + usable));
  CHECK(pins.cpu(0) == pins.cpu(2 * usable));
}

}  // namespace
