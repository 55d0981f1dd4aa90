// SPDX-License-Identifier: Apache-2.0
//
// What is said of races: a sentence for each two places.
//
// Threads: one.
#pragma once

#include "check/omp_races.hpp"

namespace myr::check::omp {

void report(const Race& race);

}  // namespace myr::check::omp
