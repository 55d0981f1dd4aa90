// SPDX-License-Identifier: Apache-2.0
//
// Machine: a tree of schedulers and workers that runs the user's program: on threads, or on a
// simulated chip. The thread that creates it becomes its first worker, on which main runs already.
#pragma once

#include "cluster/seat.hpp"

namespace myr::cluster {

// What may be chosen about a machine beside its shape.
struct Options {
  unsigned load_percent = 80;  // weight of even load against that of near data: sched::Placer
  // On a simulated chip: cycles of a worker core for each nanosecond that a task runs here; 0: only
  // what tasks declare by myr_work() counts.
  double cycles_per_ns = 0;
};

class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  [[nodiscard]] virtual Seat& main_seat() noexcept = 0;
  // Ends all agents. REQUIRES: main has waited for all its children.
  virtual void stop() = 0;
};

// How deep the calls of a task may go.
inline constexpr std::size_t kTaskStackBytes = std::size_t{8} << 20;

}  // namespace myr::cluster
