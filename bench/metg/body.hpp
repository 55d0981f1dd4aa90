// SPDX-License-Identifier: Apache-2.0
//
// What a task of the METG benchmark does, the same compiled code in all runtimes: it checks that
// each input was written by the task it should come from, works for a while, and writes its output.
#pragma once

#include <cstddef>

#include "metg/graph.hpp"

namespace metg {

// Runs a task. Thread: any, when the tasks it needs have run.
void run(const Task& task) noexcept;

// How many inputs were not those that a task needs, since the process began.
[[nodiscard]] std::size_t wrong_inputs() noexcept;

}  // namespace metg
