/* SPDX-License-Identifier: Apache-2.0
 *
 * What the code that myrcc writes for OpenMP's constructs calls, besides myr.h. For translated
 * programs only; nothing here is meant to be called by hand.
 */
#ifndef MYR_OPENMP_H
#define MYR_OPENMP_H

#include <myr/myr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The running task is final, so often: the tasks that it spawns run at once. */
extern MYR_API __thread unsigned myr_final_depth;

/* A barrier of OpenMP's: waits for all tasks that the caller has spawned, and theirs. Any thread
 * may call it: those that run no task have none to wait for. */
MYR_API void myr_barrier_at(const myr_site* site);

/* A critical region: one thread at a time is inside. Zero: nobody is. Any thread may enter. Misuse,
 * as it would never end: entering it again, also by a task that runs on top of the one inside, and
 * a wait for tasks while inside. */
typedef struct myr_critical {
  unsigned long long state;
  unsigned long long holder;
} myr_critical;
MYR_API void myr_critical_enter(myr_critical* critical, const myr_site* site);
MYR_API void myr_critical_leave(myr_critical* critical);

/* Ends the program: tasks belong to Myrmidon's threads, not to a team of the compiler's. */
MYR_API void myr_team_misuse(const myr_site* site) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
