// SPDX-License-Identifier: Apache-2.0
//
// Tiles must be spread evenly over parts, and each be found again by its index.
#include "common/parts.h"

#include <doctest/doctest.h>

#include <algorithm>

TEST_CASE("tiles are spread evenly and found by their index") {
  for (std::size_t part_count = 1; part_count <= 7; ++part_count) {
    for (std::size_t tile_total = part_count; tile_total <= 20; ++tile_total) {
      parts parts = parts_new(part_count, tile_total, {.tile = 64, .local = 0});
      std::size_t index = 0;
      for (std::size_t p = 0; p < part_count; ++p) {
        const part& part = parts.part[p];
        CHECK(part.first == index);
        CHECK(part.tile_count >= tile_total / part_count);
        CHECK(part.tile_count <= (tile_total + part_count - 1) / part_count);
        for (std::size_t i = 0; i < part.tile_count; ++i, ++index) {
          CHECK(parts_with(&parts, index) == &part);
          CHECK(parts_tile(&parts, index) == part.tiles[i]);
        }
      }
      CHECK(index == tile_total);
      parts_free(&parts);
    }
  }
}

TEST_CASE("a part has an object for its copy of what all need, if one is asked for") {
  for (const std::size_t bytes : {0U, 100U}) {
    parts parts = parts_new(3, 5, {.tile = 64, .local = bytes});
    CHECK(std::all_of(parts.part, parts.part + 3,
                      [&](const part& part) { return (part.local != nullptr) == (bytes > 0); }));
    parts_free(&parts);
  }
}
