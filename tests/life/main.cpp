// SPDX-License-Identifier: Apache-2.0
//
// `myr_life CASE` plays one case.
#include <cstring>

#include "life.hpp"

int main(int count, char** words) {
  for (const auto cases : {life::forks(), life::guests(), life::ends(), life::stacks()}) {
    for (const life::Case& one : cases) {
      if (count == 2 && std::strcmp(words[1], one.name) == 0) return one.play();
    }
  }
  life::wrong("no such case");
}
