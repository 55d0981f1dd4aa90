// SPDX-License-Identifier: Apache-2.0
//
// What is said of races: a sentence on stderr for each two places.
//
// Threads: one.
#pragma once

#include <cstddef>

#include "check/omp_races.hpp"

namespace myr::check::omp {

void report(const Race& race);
[[nodiscard]] std::size_t reported_count();

}  // namespace myr::check::omp
