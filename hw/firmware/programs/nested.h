/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that spawn tasks: each of the program's tasks waits for a tree of its own. */
#ifndef NESTED_H
#define NESTED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A cell is a cache line, so that no two tasks write the same. */
struct tree {
  uint64_t sum;
  uint64_t rest[7];
};

struct nested {
  size_t tasks;
  size_t levels;       /* of a task's tree */
  size_t cell_count;   /* tasks that update the same cell run one after the other */
  struct tree** cells; /* what the tasks update */
  struct tree** trees; /* a task's tree, each: 2 ^ (levels + 1) nodes */
};

void nested_run(struct nested* all);

#ifdef __cplusplus
}
#endif
#endif
