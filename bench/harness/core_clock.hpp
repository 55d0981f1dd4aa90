// SPDX-License-Identifier: Apache-2.0
//
// Time in nanoseconds, and how many cycles the core makes in one. Costs of tasks are quoted in core
// cycles, but the time-stamp counter ticks at a fixed rate that is not the core's, and performance
// counters are often missing in virtual machines; so the core's frequency is measured with code of
// known length.
#pragma once

#include <cstdint>

namespace myr::bench {

// Nanoseconds of a steady clock.
[[nodiscard]] std::int64_t now_ns() noexcept;

// Core cycles per nanosecond, here and now: from the fastest of several runs of a chain of
// dependent additions, each of which takes one cycle; whatever disturbs a run makes it slower.
// Cost: a few milliseconds. Call it before and after what is measured.
[[nodiscard]] double core_ghz() noexcept;

}  // namespace myr::bench
