// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the calls on a stack, not to the thread: a Fiber keeps it while it is left.
#pragma once

#include <cerrno>

#include "base/contract.hpp"
#include "myr/openmp.h"

namespace myr::plat {

struct StackState {
  unsigned final_depth = 0;     // myr_final_depth
  unsigned critical_count = 0;  // critical regions that the calls are inside of
  int error = 0;                // errno
};

// How many critical regions the calls on this stack are inside of.
extern constinit thread_local unsigned critical_count;

// Leaves `from` for `to`. In line: each wait does it twice.
MYR_INLINE void swap_stack_state(StackState& from, const StackState& to) noexcept {
  from = {.final_depth = myr_final_depth, .critical_count = critical_count, .error = errno};
  myr_final_depth = to.final_depth;
  critical_count = to.critical_count;
  errno = to.error;
}

// While it lives, the calls on top are none of the task below: they begin anew.
class FreshStackState {
 public:
  FreshStackState() noexcept { swap_stack_state(below_, {}); }
  ~FreshStackState() {
    StackState ended;
    swap_stack_state(ended, below_);
  }
  FreshStackState(const FreshStackState&) = delete;
  FreshStackState& operator=(const FreshStackState&) = delete;

 private:
  StackState below_;
};

}  // namespace myr::plat
