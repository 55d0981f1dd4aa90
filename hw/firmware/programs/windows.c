/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of windows.h. Every number that a task writes follows from all that it reads, so two
 * that overlap and run at once, or the wrong way around, change the end.
 */
#include "windows.h"

static void change(const uint64_t* in, size_t in_count, uint64_t* out, size_t out_count) {
  uint64_t value = out_count;
  for (size_t i = 0; i < in_count; ++i) value = (value ^ in[i]) * 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < out_count; ++i) {
    value = (value ^ out[i]) * 0x9e3779b97f4a7c15u;
    out[i] = value ^ value >> 29;
  }
}

void windows_run(const struct window* all, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const uint64_t* in = all[i].in;
    const size_t in_count = all[i].in_count;
    uint64_t* out = all[i].out;
    const size_t out_count = all[i].out_count;
#pragma omp task in([in_count] in), inout([out_count] out)
    change(in, in_count, out, out_count);
  }
#pragma omp taskwait
}
