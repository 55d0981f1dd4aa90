// SPDX-License-Identifier: Apache-2.0
//
// A lock whose cores get in by the order in which they came: no core passes over one that waits.
// With a lock that the first core to try gets, an idle core that looks into a queue over and over
// kept another core out for ever: on two Rocket cores it came back, each time, while the line that
// says "free" was still on its way to the one that waited. Simulated cores have no noise to end
// that.
//
// The holder writes `serving_`, all cores that wait read it; `next_` has another line, so that a
// core that comes does not take the line away from those that wait.
#pragma once

#include <stdint.h>

class TicketLock {
 public:
  // Threads: any. The caller holds the lock once is_turn_of() is true of the ticket.
  uint32_t take_ticket() { return __atomic_fetch_add(&next_, 1, __ATOMIC_RELAXED); }
  // Order: once true, what the lock's last holder wrote before unlock() is visible.
  bool is_turn_of(uint32_t ticket) const {
    return __atomic_load_n(&serving_, __ATOMIC_ACQUIRE) == ticket;
  }
  // By the holder alone. Order: publishes what it wrote to the next holder.
  void unlock() { __atomic_store_n(&serving_, serving_ + 1, __ATOMIC_RELEASE); }

 private:
  static constexpr unsigned kLineBytes = 64;
  alignas(kLineBytes) uint32_t next_ = 0;
  alignas(kLineBytes) uint32_t serving_ = 0;
};
