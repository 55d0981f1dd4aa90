/* SPDX-License-Identifier: Apache-2.0
 *
 * What a translation puts before the compiler's own tasks. Without OpenMP there is no Myrmidon
 * either: the program is the serial one. */
#ifdef _OPENMP
#include <myr/outlined.h>
/* The next task has these wishes, this priority and these accesses. */
#define NEXT_WITH(wishes, priority, ...)                                                        \
  static const myr_site site = {__FILE__, __func__, __LINE__, 0};                               \
  const myr_access accesses[] = {__VA_ARGS__};                                                  \
  const myr_next_task next = {accesses, sizeof accesses / sizeof *accesses, &site, wishes,      \
                              priority};                                                        \
  myr_hand_over(&next)
#define NEXT(...) NEXT_WITH(0, 0, __VA_ARGS__)
#define USES(place, mode) myr_make_access(&(place), sizeof(place), MYR_##mode)
#else
#define NEXT_WITH(wishes, priority, ...)
#define NEXT(...)
#define USES(place, mode)
#define myr_wait_all()
#define myr_task_failed(exception)
#endif
