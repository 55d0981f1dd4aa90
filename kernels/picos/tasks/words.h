/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that do next to nothing, for measuring what a task costs; see README.md. The programs
 * with tasks are tasks.c and openmp.c.
 */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a task depends on: a cache line, so that no two share one. */
struct word {
  uint64_t value;
  uint64_t rest[7];
};

struct words {
  size_t tasks;
  size_t deps;   /* of a task: 0, 1, 3 or 15 */
  size_t step;   /* from a task's first word to that of the next; 0: all have the same words */
  size_t rounds; /* of work in a task */
  struct word** words;
};

/* Work: the next numbers of a random sequence, each computed from the one before it. In an object
 * of its own: where the caller's compiler saw it, clang would make one step of several. */
static const uint64_t kWordFactor = 6364136223846793005u;
static const uint64_t kWordStep = 1442695040888963407u;
void advance(struct word* word, size_t rounds);

void words_serial(struct words* w);
void words_tasks(struct words* w);

#ifdef __cplusplus
}
#endif
#endif
