// SPDX-License-Identifier: Apache-2.0
//
// The program's observer of tasks: myr_config::observer.
//
// Threads: set before a machine starts, and read by its workers, to which the start makes it
// visible.
#pragma once

#include "myr/process.h"

namespace myr::engine {

inline constinit const myr_observer* observer = nullptr;

}  // namespace myr::engine
