// SPDX-License-Identifier: Apache-2.0
//
// Greeting: what each rank tells rank 0 before anything else, and what rank 0 finds wrong about it.
// So whatever a rank has been started with, one of them says what is wrong, and nobody goes on
// alone: mistakes of the environment, too, are told when all have joined, as a launcher may not
// notice that a process has ended before that.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "proto/frames.hpp"

namespace myr::cluster::mpi {

using Greeting = proto::Hello;

// By rank. None: all is well.
[[nodiscard]] std::optional<std::string> mistake_in(std::span<const Greeting> ranks);
// Threads that share processors as the launcher has bound them: to be known, but no mistake.
[[nodiscard]] std::optional<std::string> remark_on(std::span<const Greeting> ranks);

// The processors of this process: of fewer than its parent's, which is the launcher's.
void set_processors(Greeting& own);

}  // namespace myr::cluster::mpi
