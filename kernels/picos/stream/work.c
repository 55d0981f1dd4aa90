/* SPDX-License-Identifier: Apache-2.0
 *
 * The four steps of STREAM on a block. They move memory and compute next to nothing.
 */
#include "common/wide.h"
#include "picos/stream/stream.h"

KERNEL_WIDE void copy_block(const double* restrict from, double* restrict to, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = from[i];
}

KERNEL_WIDE void scale_block(const double* restrict from, double* restrict to, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = STREAM_FACTOR * from[i];
}

KERNEL_WIDE void add_blocks(const double* restrict x, const double* restrict y, double* restrict to,
                            size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = x[i] + y[i];
}

KERNEL_WIDE void triad_blocks(const double* restrict x, const double* restrict y,
                              double* restrict to, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = x[i] + STREAM_FACTOR * y[i];
}
