// SPDX-License-Identifier: Apache-2.0
//
// Target: what one access means, once its address or region id has been looked up.
#pragma once

#include <cstdint>

#include "deps/region_tree.hpp"

namespace myr::graph {

enum class TargetKind : std::uint8_t {
  None,    // by value, or NULL: no analysis
  Region,  // a region with everything in it
  Object,  // a whole object of the heap
  Range,   // some bytes: of an object, or of memory that is not Myrmidon's
  Blocks,  // some bytes of an array with blocks, or all: it is all blocks around them that count
};

// Do the tasks that use memory in this way after each other wait for each other? Those of one group
// do not; of the commutative group, one at a time runs (claims.hpp). Readers are a group, too.
enum class Group : std::uint8_t { None, Concurrent, Commutative };

struct Target {
  TargetKind kind = TargetKind::None;
  bool writes = false;
  Group group = Group::None;                   // others than readers
  deps::RegionIndex region = deps::kNoRegion;  // that contains it; none for memory not Myrmidon's
  unsigned block_shift = 0;                    // Blocks: log2 of the bytes of one
  std::uint64_t begin = 0;                     // first byte, except for a region
  std::uint64_t end = 0;                       // behind the last byte
  std::uint64_t object = 0;  // first byte of the heap object around a Range, or of the array
};

}  // namespace myr::graph
