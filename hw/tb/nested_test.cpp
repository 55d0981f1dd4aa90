// SPDX-License-Identifier: Apache-2.0
//
// Tasks that spawn tasks and wait for them, on four cores and with a tracker that is full most of
// the time: with sure requests every program ends; with others it may stand still, since a task
// that waits for its children keeps its place in the tracker while they stand in the queue.
#include <Vsystem.h>
#include <doctest/doctest.h>

#include "nested_program.hpp"

using namespace myr::hw;
using FourCoresNested = NestedProgram<Cores<Vsystem, 4>>;

TEST_CASE("tasks that wait for their children end, however full the tracker is") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    FourCoresNested program(seed, 40, 3 | PICOS_REQUEST_SURE);
    CHECK(program.run());
    CHECK(program.spawned_children() + program.inline_children() == 40 * (2 + 4 + 8));
    CHECK(program.spawned_children() > 0);
    CHECK(program.inline_children() > 0);
  }
}

TEST_CASE("with requests that are not sure the same programs may stand still") {
  unsigned stood_still = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    stood_still += FourCoresNested(seed, 40, 3).run() ? 0 : 1;
  }
  CHECK(stood_still > 0);
}
