// SPDX-License-Identifier: Apache-2.0
//
// SIZE tasks of 15 words on TASK cells.
#include "wide.h"

#include "frame.hpp"

extern "C" int firmware_main() {
  auto* const cells = static_cast<uint64_t*>(allocate(TASK * sizeof(uint64_t)));
  for (size_t i = 0; i < TASK; ++i) cells[i] = i + 1;
  frame::measure([&] { wide_run(cells, TASK, SIZE); });
  frame::Digest digest;
  for (size_t i = 0; i < TASK; ++i) digest.add_bits(cells[i]);
  digest.print();
  return 0;
}
