// SPDX-License-Identifier: Apache-2.0
//
// Failures as messages: an exception that crosses processes is its type's name and what it says.
// One that comes back to the process that has thrown it is itself.
//
// Threads: one at a time.
#pragma once

#include <unordered_map>

#include "base/failure.hpp"
#include "cluster/mpi/modules.hpp"
#include "proto/messages.hpp"

namespace myr::cluster::mpi {

class Failures {
 public:
  Failures(const Modules& modules, proto::AgentId self) : modules_(modules), self_(self) {}

  // `time`: when the serial program would throw it. `is_kept`: the one that takes it is in this
  // process, mostly.
  [[nodiscard]] proto::FailurePtr to_message(const proto::SerialTime& time, base::Failure failure,
                                             bool is_kept);
  [[nodiscard]] base::Failure from_message(const proto::Failure& message);

 private:
  const Modules& modules_;
  const proto::AgentId self_;
  std::unordered_map<std::uint64_t, base::Failure> kept_;  // by number
  std::uint64_t kept_count_ = 0;
};

}  // namespace myr::cluster::mpi
