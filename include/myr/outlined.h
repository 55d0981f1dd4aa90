/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that the compiler cuts out of a function (`#pragma omp task`) as Myrmidon's. For translated
 * programs only; not meant to be called by hand.
 *
 *   const myr_access accesses[] = {...};
 *   const myr_next_task next = {accesses, 1, &site, 0, 0};
 *   myr_hand_over(&next);
 *   #pragma omp task firstprivate(i) shared(a)     no other clauses than these
 *   a[i] += i;
 *
 * Such programs are linked with libmyrmidon-tasks.a, which serves the compiler's calls. Tasks
 * before which nothing was handed over are left to the compiler's library.
 */
#ifndef MYR_OUTLINED_H
#define MYR_OUTLINED_H

#include <myr/openmp.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MYR_NEXT_AT_ONCE = 1,   /* the caller waits for what the task uses, and runs it itself */
  MYR_NEXT_FINAL = 2,     /* the same, also with all tasks that it spawns */
  MYR_NEXT_KEEP_HERE = 4, /* see myr_draft_keep_here() */
  MYR_NEXT_PRIORITY = 8   /* it has one */
};

/* What the compiler does not know of a task. It must stay until the task is made. */
typedef struct myr_next_task {
  const myr_access* accesses;
  size_t access_count;
  const myr_site* site;
  unsigned wishes; /* MYR_NEXT_... */
  int priority;
} myr_next_task;

/* Whether the caller runs the task itself, as a part of its own. */
static inline int myr_runs_at_once(const myr_next_task* next) {
  return (next->wishes & (MYR_NEXT_AT_ONCE | MYR_NEXT_FINAL)) != 0 || myr_final_depth != 0;
}

/* The next task that this thread makes is `next`. */
void myr_hand_over(const myr_next_task* next);

#ifdef __cplusplus
}
#endif
#endif
