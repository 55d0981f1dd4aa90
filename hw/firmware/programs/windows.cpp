// SPDX-License-Identifier: Apache-2.0
//
// SIZE random windows of up to TASK numbers each on an array of 16 times TASK. A window of 40
// touches at most 6 cache lines, so two have room among a task's 15 dependences.
#include "windows.h"

#include "common/random.hpp"
#include "frame.hpp"

extern "C" int firmware_main() {
  constexpr size_t kNumbers = 16 * TASK;
  static_assert(TASK <= 48);
  auto* const numbers = static_cast<uint64_t*>(allocate(kNumbers * sizeof(uint64_t)));
  for (size_t i = 0; i < kNumbers; ++i) numbers[i] = i;
  auto* const all = static_cast<window*>(allocate(SIZE * sizeof(window)));
  kernels::Random random(7);
  for (size_t i = 0; i < SIZE; ++i) {
    all[i].in_count = 1 + random.next() % TASK;
    all[i].out_count = 1 + random.next() % TASK;
    all[i].in = numbers + random.next() % (kNumbers - all[i].in_count);
    all[i].out = numbers + random.next() % (kNumbers - all[i].out_count);
  }
  frame::measure([&] { windows_run(all, SIZE); });
  frame::Digest digest;
  for (size_t i = 0; i < kNumbers; ++i) digest.add_bits(numbers[i]);
  digest.print();
  return 0;
}
