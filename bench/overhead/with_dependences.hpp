// SPDX-License-Identifier: Apache-2.0
//
// For runtimes in which the number of dependences is part of a task's source text.
#pragma once

#include <cstdlib>

namespace myr::bench {

// Calls `spawn` with the number of dependences as its template argument.
template <class Spawn>
void with_dependences(unsigned count, Spawn spawn) {
  switch (count) {
    case 0:
      return spawn.template operator()<0>();
    case 1:
      return spawn.template operator()<1>();
    case 3:
      return spawn.template operator()<3>();
    case 15:
      return spawn.template operator()<15>();
    default:
      std::abort();
  }
}

}  // namespace myr::bench
