// SPDX-License-Identifier: Apache-2.0
#include "plat/stack_state.hpp"

__thread unsigned myr_final_depth = 0;

namespace myr::plat {

constinit thread_local unsigned critical_count = 0;

}  // namespace myr::plat
