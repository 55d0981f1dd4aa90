// SPDX-License-Identifier: Apache-2.0
//
// The command line of an overhead program, the same for all runtimes.
#pragma once

#include <cstddef>
#include <string>

namespace myr::bench {

struct Options {
  unsigned threads = 2;
  std::string only = "*";  // shell pattern of cases, such as "task_*/15"
  std::size_t tasks = 0;   // 0: each case's own number
};

// Parses the command line; on a mistake, or for --help, prints and ends the program.
[[nodiscard]] Options parse_options(int argc, char** argv);

}  // namespace myr::bench
