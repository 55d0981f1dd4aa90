/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that the output of myrcc calls for OpenMP's constructs, besides those of myr.h. For
 * translated programs only; not meant to be called by hand.
 */
#ifndef MYR_OPENMP_H
#define MYR_OPENMP_H

#include <myr/myr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many final tasks enclose the running code; above 0, tasks that it spawns run at once. */
extern MYR_API __thread unsigned myr_final_depth;

/* An OpenMP barrier: waits for all tasks that the caller has spawned, and for theirs. Any thread
 * may call it; one that runs no task has nothing to wait for. */
MYR_API void myr_barrier_at(const myr_site* site);

/* Begins a step that repeats, recorded in *graph, which is made if it is NULL. Main alone records:
 * other tasks could be at the same place at the same time. Not 0: myr_step_end() ends it. */
MYR_API int myr_graph_begin_at(myr_recording* graph, const myr_site* site);

/* A critical region: one thread at a time is inside; all zero if none is. Any thread may enter.
 * Misuse, because it would never end: entering it again, also by a task that runs on top of the one
 * inside, and waiting for tasks while inside. */
typedef struct myr_critical {
  unsigned long long state;
  unsigned long long holder;
} myr_critical;
MYR_API void myr_critical_enter(myr_critical* critical, const myr_site* site);
MYR_API void myr_critical_leave(myr_critical* critical);

/* Ends the program with a message: tasks run on Myrmidon's threads, not on the compiler's team. */
MYR_API void myr_team_misuse(const myr_site* site) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
