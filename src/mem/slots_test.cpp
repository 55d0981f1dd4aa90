// SPDX-License-Identifier: Apache-2.0
#include "mem/slots.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <vector>

using namespace myr::mem;

TEST_CASE("slots of every size lie back to back and end inside their span") {
  for (std::uint32_t granules = 1; granules <= kSharedGranulesMax; ++granules) {
    for (const std::uint32_t slabs : {slabs_for(granules), dense_span_slabs(granules)}) {
      std::vector<std::uint32_t> starts;
      for (std::uint32_t slab = 0; slab < slabs; ++slab) {
        for (std::uint64_t mask = slot_starts(granules, slabs, slab); mask != 0; mask &= mask - 1) {
          starts.push_back(slab * kSlabGranules +
                           static_cast<std::uint32_t>(std::countr_zero(mask)));
        }
      }
      REQUIRE(starts.size() == slabs * kSlabGranules / granules);
      for (std::uint32_t i = 0; i < starts.size(); ++i) REQUIRE(starts[i] == i * granules);
    }
  }
}

TEST_CASE("dense spans waste at most a sixteenth and stay short") {
  for (std::uint32_t granules = 1; granules <= kSharedGranulesMax; ++granules) {
    const std::uint32_t slabs = dense_span_slabs(granules);
    const std::uint32_t all = slabs * kSlabGranules;
    CHECK(all % granules * 16 <= all);
    CHECK(slabs <= slabs_for(granules) + 16);
    CHECK(detail::kDenseSpans[granules] == slabs);
  }
  CHECK(dense_span_slabs(1) == 1);
  CHECK(dense_span_slabs(3) == 1);
  CHECK(dense_span_slabs(24) == 2);
}
