/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks with more arguments than a cache line holds. */
#ifndef WIDE_H
#define WIDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Some of the arguments. */
struct wide_numbers {
  uint64_t number[11];
};

void wide_run(uint64_t* cells, size_t cell_count, size_t task_count);

#ifdef __cplusplus
}
#endif
#endif
