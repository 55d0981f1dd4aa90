// SPDX-License-Identifier: Apache-2.0
//
// Task reductions. The compiler describes them by arrays of words:
//
//   [0] count   [1] bytes a thread   [2] in: alignment, out: the copies   [3] unused
//   [4] the next array   [5] out: 1 for the first of a chain   [6] out: behind the copies
//   then for each item: [0] address of the original   [1] its offset in a thread's copy
//   [2] unused
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/team.hpp"

namespace myr::omp {

// Makes the copies for the group of the running task; for `threads` threads.
void allocate_copies(std::uintptr_t* arrays, unsigned threads, std::uintptr_t* outer);
void register_reductions(Thread& self, std::uintptr_t* arrays);
void free_copies(std::uintptr_t* arrays);
// The same copies for another thread's description of the same construct.
void share_reductions(Thread& self, std::uintptr_t* arrays, const std::uintptr_t* first);
// A group for a worksharing construct with task reductions.
void begin_workshare_group(Thread& self);
// Replaces each of `count` addresses by that of this thread's copy, and writes the originals of the
// first `original_count` behind them.
void remap(Thread& self, std::size_t count, std::size_t original_count, void** addresses);

}  // namespace myr::omp
