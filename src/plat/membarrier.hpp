// SPDX-License-Identifier: Apache-2.0
//
// A memory barrier that one thread imposes on all threads of the process (Linux membarrier). It
// lets a rare path pay for the barrier that a frequent path would need; see sync/fence.hpp for the
// pair.
#pragma once

namespace myr::plat {

// True once this process may use membarrier(); false during static initialisation, on kernels
// before 4.14 and where a sandbox forbids the call.
extern const bool membarrier_ready;

// A full barrier in every thread of the process, the caller included. Cost: a system call, and an
// interrupt for each other core that runs a thread of this process (a few microseconds).
// Where the kernel has no such call it is a barrier in the caller only, and `membarrier_ready` is
// false.
void membarrier() noexcept;

}  // namespace myr::plat
