// SPDX-License-Identifier: Apache-2.0
//
// The table of --stats: where each worker's time went.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/engine.hpp"

namespace myr::runtime {

struct Elapsed {
  std::uint64_t ns;
  std::uint64_t ticks;  // in the same time
};

// Prints to stderr. REQUIRES: no task is left.
void print_stats(engine::Engine& engine, std::string_view machine, Elapsed elapsed);

}  // namespace myr::runtime
