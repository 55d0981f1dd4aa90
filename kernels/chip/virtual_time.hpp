// SPDX-License-Identifier: Apache-2.0
//
// Time on simulated machines, in cycles of their worker cores. Only what a program declares takes
// time there (work.h), so the serial program takes the sum of that, and the task program whatever
// the machine's clock says.
//
// Threads: the main thread.
#pragma once

#include <cstdint>
#include <functional>

namespace kernels {

// What a serial program declares, each cycle counted `scale` times.
[[nodiscard]] std::uint64_t declared_cycles(const std::function<void()>& serial,
                                            std::uint64_t scale);
// What a task program takes until it returns, with work that takes `scale` times as long.
[[nodiscard]] std::uint64_t elapsed_cycles(const std::function<void()>& parallel,
                                           std::uint64_t scale);

}  // namespace kernels
