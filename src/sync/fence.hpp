// SPDX-License-Identifier: Apache-2.0
//
// A pair of fences of unequal cost, for a handshake whose one side is hot ("publish, then look
// whether someone sleeps") and whose other side is rare ("say that I sleep, then look once more for
// work").
//
//   hot thread                     rare thread
//     store A                        store B
//     light_fence()  [fence.pair]    heavy_fence()  [fence.pair]
//     load B                         load A
//
// At least one of the two loads sees the other thread's store. Any thread may call both.
// light_fence() costs no instruction where the kernel can interrupt all threads for heavy_fence();
// elsewhere it is a full fence, chosen by one predicted branch.
#pragma once

#include "base/contract.hpp"
#include "sync/atomic.hpp"

#ifndef MYR_MODEL
#include "plat/membarrier.hpp"
#endif

namespace myr::sync {

#ifdef MYR_MODEL

using explore::heavy_fence;
using explore::light_fence;
inline void full_fence(const explore::Site& site = explore::Site::current()) {
  explore::heavy_fence(site);
}

#else

inline void light_fence() noexcept {
  // Keeps the compiler from moving the load up; the kernel's barrier restrains the processor.
  std::atomic_signal_fence(seq_cst);  // [fence.pair]
  if (MYR_UNLIKELY(!plat::membarrier_ready)) __sync_synchronize();
}

inline void heavy_fence() noexcept { plat::membarrier(); }

// For both sides of such a handshake if both are hot. Cost: some 20 cycles.
inline void full_fence() noexcept { __sync_synchronize(); }

#endif

}  // namespace myr::sync
