// SPDX-License-Identifier: Apache-2.0
//
// What the parallel version of a kernel runs on. A program has one of three: Myrmidon
// (machine.cpp), ranks with MPI on a simulated chip (chip/ranks.cpp), or the processes of an MPI
// job (mpi/ranks.cpp).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kernels {

struct Machine {
  std::string runtime;
  std::string name;
  unsigned threads;
  std::string text;  // all that, for people
  bool runs_tasks;
  // What the last run took, if that is not the time from the call to its return.
  std::optional<double> seconds = {};
};

[[nodiscard]] Machine machine();
// Whether it is a simulated one, whose time is virtual.
[[nodiscard]] bool is_simulated();
// An option by which it is chosen, if not by the environment; a flag is one without a value.
struct MachineOption {
  std::string name;
  std::variant<std::string*, int*, bool*> value;
  std::string text;
};
// Called once, before the command line is read: the machine may start.
[[nodiscard]] std::vector<MachineOption> machine_options();
// What is wrong with the values that the options got; empty: nothing.
[[nodiscard]] std::string machine_mistake();

}  // namespace kernels
