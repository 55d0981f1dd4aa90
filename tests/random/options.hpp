// SPDX-License-Identifier: Apache-2.0
//
// What the random tests take from the command line.
#pragma once

#include <string>

#include "program.hpp"

namespace myr::random_test {

struct Options {
  std::uint64_t seed = 0;  // of the first program; the next ones count up
  unsigned count = 0;      // programs
  Limits limits;
  std::string machines =
      "serial,smp:2,smp:5,smp:8,tree:1+1,tree:3+4,chaos:smp:1,chaos:smp:3,chaos:smp:4,chaos:tree:1+"
      "2,"
      "tree:2+3x2,chaos:tree:2x2x2,chaos:tree:1+2x2,sim:formic-520:3+8,chaos:sim:formic-520:1+4,"
      "master:1+1,master:1+3,sim:scc-48:1+3,sim:scc-48-tree:2+6";
  bool breaks = false;       // one access of each program: it must be found, or do no harm
  bool lost_orders = false;  // print them, and run nothing
  bool verbose = false;
};

// Runs the programs on each machine of the list, a process each. Returns the exit status.
int drive(const Options& options);

}  // namespace myr::random_test
