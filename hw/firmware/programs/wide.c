/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of wide.h: 15 words of arguments, which is all that two cache lines hold beside the
 * body. Each word counts, and in its place.
 */
#include "wide.h"

enum { NUMBERS = sizeof(struct wide_numbers) / sizeof(uint64_t) };

static void change(const uint64_t* in, uint64_t* out, struct wide_numbers numbers, uint64_t first,
                   uint64_t second) {
  uint64_t value = *out ^ first;
  for (size_t i = 0; i < NUMBERS; ++i) value = (value ^ numbers.number[i]) * 0x9e3779b97f4a7c15u;
  *out = (value ^ *in) * second;
}

void wide_run(uint64_t* cells, size_t cell_count, size_t task_count) {
  for (uint64_t i = 0; i < task_count; ++i) {
    const uint64_t* in = cells + i * 5 % cell_count;
    uint64_t* out = cells + i * 3 % cell_count;
    if (in == out) continue;
    const uint64_t first = i + 1, second = 2 * i + 1;
    struct wide_numbers numbers;
    for (uint64_t k = 0; k < NUMBERS; ++k) numbers.number[k] = i * NUMBERS + k;
#pragma omp task in([1] in), inout([1] out)
    change(in, out, numbers, first, second);
  }
#pragma omp taskwait
}
