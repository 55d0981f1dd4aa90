// SPDX-License-Identifier: Apache-2.0
//
// `myr_misuse NAME` makes one mistake, which must end it with a message. The line of the mistake
// ends in a comment `misuse: NAME: PATTERN`: run_case.py learns from it where the message must
// point and what it must say, and CMakeLists.txt which tests there are. Reaching the end means that
// the mistake went unnoticed.
#include <myr/myr.h>

#include <cstdio>
#include <cstring>

#include "cases.hpp"

int main(int argc, char** argv) {
  using namespace myr::misuse_test;
  const char* const name = argc == 2 ? argv[1] : "";
  for (const auto& cases : {kFootprintCases, kMemoryCases, kTaskCases}) {
    for (const Case& each : cases) {
      if (std::strcmp(each.name, name) != 0) continue;
      each.run();
      return 0;
    }
  }
  std::fprintf(stderr, "myr_misuse: no case '%s'\n", name);
  return 2;
}
