// SPDX-License-Identifier: Apache-2.0
//
// The table of --stats: where each worker's time went.
#pragma once

#include <string_view>

#include "engine/engine.hpp"
#include "trace/clock.hpp"

namespace myr::runtime {

// Prints to stderr. REQUIRES: the engine has stopped.
void print_stats(engine::Engine& engine, std::string_view machine, const trace::Clock& clock);

// The same as one JSON object, with the fields of AgentReport's.
void print_stats_as_json(engine::Engine& engine, std::string_view machine,
                         const trace::Clock& clock);

}  // namespace myr::runtime
