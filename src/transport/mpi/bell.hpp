// SPDX-License-Identifier: Apache-2.0
//
// Bell: how a process of this computer wakes another one for which it has a message. MPI has
// nothing to sleep on, so who waits looks, naps and looks again; with a bell it naps no longer than
// until the next message. Lies in memory that the processes have in common.
//
//   [mpi.bell]  Who naps has read `rings_` before it looked for messages, so one that comes between
//               that and the nap ends it; and has entered itself in `sleepers_` before the kernel
//               compares `rings_`, while who rings counts first, then looks for sleepers. A wake-up
//               that were lost would cost the rest of a nap, as naps have limits.
//
// Threads: any, of all processes of the computer.
#pragma once

#include <climits>
#include <cstdint>

#include "plat/futex.hpp"
#include "sync/atomic.hpp"
#include "transport/mpi/plugin.h"

namespace myr::transport::mpi {

class Bell {
 public:
  void ring() noexcept {
    rings_.fetch_add(1, sync::seq_cst);              // [mpi.bell]
    if (sleepers_.load(sync::seq_cst) == 0) return;  // [mpi.bell]
    plat::futex_wake_processes(&rings_, INT_MAX);
  }
  [[nodiscard]] std::uint32_t rings() const noexcept {
    return rings_.load(sync::acquire);  // [mpi.bell]
  }
  // Until somebody has rung since rings() was `heard`, for at most so long.
  void nap(std::uint32_t heard, std::uint64_t timeout_ns) noexcept {
    sleepers_.fetch_add(1, sync::seq_cst);  // [mpi.bell]
    plat::futex_wait_processes(&rings_, heard, timeout_ns);
    sleepers_.fetch_sub(1, sync::relaxed);
  }

  // The same processes have this in common, too: see base::share_last_words().
  [[nodiscard]] unsigned char* last_words() noexcept { return &last_words_; }

 private:
  sync::Atomic<std::uint32_t> rings_;
  sync::Atomic<std::uint32_t> sleepers_;
  unsigned char last_words_;
};
static_assert(sizeof(Bell) <= MYR_MPI_BELL_BYTES);

}  // namespace myr::transport::mpi
