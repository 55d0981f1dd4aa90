// SPDX-License-Identifier: Apache-2.0
//
// What the parallel version of a kernel runs on. A program has one of three: Myrmidon
// (machine.cpp), ranks with MPI on a simulated chip (chip/ranks.cpp), or the processes of an MPI
// job (mpi/ranks.cpp).
#pragma once

#include <optional>
#include <string>

namespace CLI {
class App;
}

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
// The options by which it is chosen, if not by the environment.
void add_machine_options(CLI::App& parser);

}  // namespace kernels
