// SPDX-License-Identifier: Apache-2.0
#include "plat/stack_state.hpp"

#include <cerrno>

#include "myr/openmp.h"

__thread unsigned myr_final_depth = 0;

namespace myr::plat {
namespace {

thread_local unsigned criticals = 0;

}  // namespace

unsigned& critical_count() noexcept { return criticals; }

void swap_stack_state(StackState& from, const StackState& to) noexcept {
  from = {.final_depth = myr_final_depth, .critical_count = criticals, .error = errno};
  myr_final_depth = to.final_depth;
  criticals = to.critical_count;
  errno = to.error;
}

}  // namespace myr::plat
