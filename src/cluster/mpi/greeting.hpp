// SPDX-License-Identifier: Apache-2.0
//
// Greeting: what each rank tells rank 0 before anything else, and what rank 0 finds wrong about it.
// So whatever a rank has been started with, one of them says what is wrong, and nobody goes on
// alone: mistakes of the environment, too, are told when all have joined, as a launcher may not
// notice that a process has ended before that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/mpi/bytes.hpp"

namespace myr::cluster::mpi {

struct Greeting {
  std::string program;      // the build
  std::string environment;  // what the ranks must have in common, a line for each variable
  std::string error;        // of what this rank has been told; mostly none
  std::string processors;   // to which, of which computer, the launcher has bound it; mostly none
  std::uint64_t is_of_job = 0;        // 0: a program by itself, which may differ from others
  std::uint64_t processor_count = 0;  // of its processors
  std::uint64_t threads = 0;          // that run tasks there

  [[nodiscard]] Bytes bytes() const;
  [[nodiscard]] static Greeting in(std::span<const std::byte> bytes);
};

// By rank. None: all is well.
[[nodiscard]] std::optional<std::string> mistake_in(std::span<const Greeting> ranks);
// Threads that share processors as the launcher has bound them: to be known, but no mistake.
[[nodiscard]] std::optional<std::string> remark_on(std::span<const Greeting> ranks);

// The processors of this process: of fewer than its parent's, which is the launcher's.
void set_processors(Greeting& own);

}  // namespace myr::cluster::mpi
