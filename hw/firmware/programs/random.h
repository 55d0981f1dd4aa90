/* SPDX-License-Identifier: Apache-2.0
 *
 * A random program: tasks that mix some cells into others, with a wait here and there.
 */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cell {
  uint64_t value;
  uint64_t rest[7];
};

enum { RANDOM_READS = 3, RANDOM_WRITES = 3 };

/* A task; cells that it has no use for are NULL. No cell is named twice. */
struct random_task {
  const struct cell* reads[RANDOM_READS];
  struct cell* writes[RANDOM_WRITES];
  uint64_t number; /* makes every task another function */
  int wait_after;
};

struct random_program {
  size_t count;
  const struct random_task* tasks;
};

void random_run(const struct random_program* program);

#ifdef __cplusplus
}
#endif
#endif
