// SPDX-License-Identifier: Apache-2.0
//
// What the Myrmidon programs of the benchmarks share: the machine, smp with so many threads, while
// an object lives. Ends the program with a message if it cannot start.
#pragma once

#include <myr/myr.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace myr::bench {

class MyrmidonMachine {
 public:
  explicit MyrmidonMachine(unsigned threads) {
    setenv("MYR_ON", ("smp:" + std::to_string(threads)).c_str(), 1);
    if (const int status = myr_init(); status != 0) {
      std::fprintf(stderr, "%s\n", myr_error_text(status));
      std::exit(1);
    }
  }
  MyrmidonMachine(const MyrmidonMachine&) = delete;
  MyrmidonMachine& operator=(const MyrmidonMachine&) = delete;
  ~MyrmidonMachine() { myr_finish(); }
};

}  // namespace myr::bench
