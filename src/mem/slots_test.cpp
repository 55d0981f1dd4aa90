// SPDX-License-Identifier: Apache-2.0
#include "mem/slots.hpp"

#include <doctest/doctest.h>

using namespace myr::mem;

TEST_CASE("the inverse tells slot and start for every offset of every span" *
          doctest::test_suite("long")) {
  for (std::uint32_t granules = 1; granules <= kSharedGranulesMax; ++granules) {
    const std::uint32_t inverse = inverse_of(granules);
    for (std::uint32_t offset = 0; offset < usual_span_slabs(granules) * kSlabGranules; ++offset) {
      REQUIRE(divide(offset, inverse).slot() == offset / granules);
      REQUIRE(divide(offset, inverse).is_start() == (offset % granules == 0));
    }
  }
}

TEST_CASE("a large object starts at its first granule only") {
  for (const std::uint32_t granules : {kSharedGranulesMax + 1, kPageGranules}) {
    CHECK(divide(0, inverse_of(granules)).is_start());
    CHECK(divide(0, inverse_of(granules)).slot() == 0);
    for (std::uint32_t offset = 1; offset <= granules + kSlabGranules; ++offset) {
      REQUIRE_FALSE(divide(offset, inverse_of(granules)).is_start());
    }
  }
}

TEST_CASE(
    "usual spans have at most 64 slots, waste at most a sixteenth and "
    "stay short") {
  for (std::uint32_t granules = 1; granules <= kSharedGranulesMax; ++granules) {
    const std::uint32_t slabs = usual_span_slabs(granules);
    const std::uint32_t all = slabs * kSlabGranules;
    CHECK(slabs <= granules);
    CHECK(slabs <= 31);
    CHECK(slot_count(granules, slabs) <= kSlotsMax);
    CHECK(all % granules * 16 <= all);
    CHECK(detail::kUsualSpans[granules] == slabs);
    CHECK(slot_count(granules, slabs_for(granules)) >= 1);
  }
  CHECK(usual_span_slabs(1) == 1);
  CHECK(usual_span_slabs(3) == 3);
  CHECK(usual_span_slabs(64) == 16);
}
