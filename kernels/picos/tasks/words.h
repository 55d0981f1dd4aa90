/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that do next to nothing, for measuring what a task costs; see README.md. The programs with
 * tasks are task_free.c and task_chain.c, those with OpenMP the *_openmp.c beside them.
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
  size_t rounds; /* of work in a task */
  struct word** words;
};

/* Work: the next numbers of a random sequence, each computed from the one before it. */
static const uint64_t kWordFactor = 6364136223846793005u;
static const uint64_t kWordStep = 1442695040888963407u;
static inline void advance(struct word* word, size_t rounds) {
  uint64_t value = word->value;
  for (size_t i = 0; i < rounds; ++i) value = value * kWordFactor + kWordStep;
  word->value = value;
}

void task_free_serial(struct words* w);
void task_free_tasks(struct words* w);
void task_chain_serial(struct words* w);
void task_chain_tasks(struct words* w);

#ifdef __cplusplus
}
#endif
#endif
