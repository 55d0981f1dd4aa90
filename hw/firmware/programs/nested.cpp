// SPDX-License-Identifier: Apache-2.0
//
// SIZE tasks with trees of TASK levels, on DEPS cells.
#include "nested.h"

#include "frame.hpp"

extern "C" int firmware_main() {
  const frame::Blocks<tree> cells(DEPS, 1);
  const frame::Blocks<tree> trees(SIZE, size_t{2} << TASK);
  for (size_t i = 0; i < DEPS; ++i) cells.first[i]->sum = i;
  for (size_t i = 0; i < SIZE; ++i) {
    for (size_t k = 0; k < (size_t{2} << TASK); ++k) trees.first[i][k].sum = i + k;
  }
  nested all{SIZE, TASK, DEPS, cells.first, trees.first};
  frame::measure([&] { nested_run(&all); });
  frame::Digest digest;
  for (size_t i = 0; i < DEPS; ++i) digest.add_bits(cells.first[i]->sum);
  digest.print();
  return 0;
}
