// SPDX-License-Identifier: Apache-2.0
//
// Bell: how a process of this computer wakes another one for which it has a message. MPI has
// nothing to sleep on, so a process that waits looks, naps and looks again; with a bell it naps no
// longer than until the next message. Lies in memory that the processes have in common.
//
// A process may have a helper, a thread that answers others while the first one computes. While
// that one waits itself, the helper rests: a ring then wakes one thread, not two.
//
//   [mpi.bell]  A thread reads `rings_` before it looks for messages and naps, so a message that
//               comes between the two ends the nap. It enters itself in `sleepers_` before the
//               kernel compares `rings_`, while a ring counts first, then looks for sleepers. A
//               lost wake-up would cost the rest of a nap, as naps have limits.
//               The thread that lets the helper work again reads `rings_` after that, so it sees
//               the rings that have spared the helper, and makes up for them.
//
// Threads: any thread of any process of the computer.
#pragma once

#include <cstdint>

#include "plat/futex.hpp"
#include "plat/this_cpu.hpp"
#include "sync/atomic.hpp"
#include "transport/mpi/plugin.h"

namespace myr::transport::mpi {

class Bell {
 public:
  // Which of a process's threads: bits, for the kernel.
  enum Sleeper : std::uint32_t { kWaiter = 1, kHelper = 2 };

  void ring() noexcept {
    rings_.fetch_add(1, sync::seq_cst);              // [mpi.bell]
    if (sleepers_.load(sync::seq_cst) == 0) return;  // [mpi.bell]
    rung_from_.store(plat::this_cpu(), sync::relaxed);
    const bool spares = helper_rests_.load(sync::seq_cst) != 0;  // [mpi.bell]
    plat::futex_wake_processes(&rings_, spares ? kWaiter : kWaiter | kHelper);
  }
  // The processor of the thread that woke sleepers last: a hint.
  [[nodiscard]] std::uint32_t rung_from() const noexcept { return rung_from_.load(sync::relaxed); }
  [[nodiscard]] std::uint32_t rings() const noexcept {
    return rings_.load(sync::seq_cst);  // [mpi.bell]
  }
  void let_helper_rest(bool rests) noexcept {
    helper_rests_.store(rests ? 1 : 0, sync::seq_cst);  // [mpi.bell]
  }
  [[nodiscard]] bool helper_rests() const noexcept {
    return helper_rests_.load(sync::relaxed) != 0;
  }
  // Until somebody has rung since rings() was `heard`, for at most so long.
  void nap(Sleeper who, std::uint32_t heard, std::uint64_t timeout_ns) noexcept {
    sleepers_.fetch_add(1, sync::seq_cst);  // [mpi.bell]
    plat::futex_wait_processes(&rings_, heard, timeout_ns, who);
    sleepers_.fetch_sub(1, sync::relaxed);
  }

  // The same processes have this in common, too: see base::share_last_words().
  [[nodiscard]] unsigned char* last_words() noexcept { return &last_words_; }

 private:
  sync::Atomic<std::uint32_t> rings_;
  sync::Atomic<std::uint32_t> sleepers_;
  sync::Atomic<std::uint32_t> helper_rests_;
  sync::Atomic<std::uint32_t> rung_from_;
  unsigned char last_words_;
};
static_assert(sizeof(Bell) <= MYR_MPI_BELL_BYTES);

}  // namespace myr::transport::mpi
