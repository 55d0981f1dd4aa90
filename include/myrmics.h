/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of Myrmics, the system that Myrmidon follows, so that programs written for it
 * compile unmodified: the calls of its papers and the helpers of its published code. New programs
 * use myr.h.
 *
 * Differences to C's own library are those of Myrmics: rand() takes a seed and returns the next
 * one; sqrt() and pow() of floats are floats. A program may define a qsort() of its own; include
 * <stdlib.h> before this file to have C's.
 */
#ifndef MYRMICS_H
#define MYRMICS_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <myr/myr.h>
#include <stdarg.h>
#include <stdio.h>
#ifndef EXIT_FAILURE /* <stdlib.h> has not been included */
#define qsort myrmics_hidden_qsort
#include <stdlib.h>
#undef qsort
#endif
#include <string.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef myr_region rid_t;
typedef void(func_t)();

#define SYS_TYPE_IN_ARG MYR_IN
#define SYS_TYPE_OUT_ARG MYR_OUT
#define SYS_TYPE_INOUT_ARG MYR_INOUT
#define SYS_TYPE_NOTRANSFER_ARG MYR_NOTRANSFER
#define SYS_TYPE_SAFE_ARG MYR_SAFE
#define SYS_TYPE_REGION_ARG MYR_REGION
#define SYS_TYPE_BYVALUE_ARG (MYR_SAFE | MYR_IN)
#define TYPE_IN_ARG SYS_TYPE_IN_ARG
#define TYPE_OUT_ARG SYS_TYPE_OUT_ARG
#define TYPE_NOTRANSFER_ARG SYS_TYPE_NOTRANSFER_ARG
#define TYPE_SAFE_ARG SYS_TYPE_SAFE_ARG
#define TYPE_REGION_ARG SYS_TYPE_REGION_ARG

#define sys_ralloc(parent, level_hint) myr_region_new((parent), (level_hint))
#define sys_rfree(region) myr_region_free(region)
#define sys_alloc(bytes, region) myr_alloc((bytes), (region))
#define sys_balloc(bytes, region, count, objects) \
  myr_alloc_many((bytes), (region), (size_t)(count), (objects))
#define sys_realloc(object, bytes, region) myr_realloc((object), (bytes), (region))
#define sys_free(object) myr_free(object)

#define sys_get_worker_id() ((int)myr_worker_index())
#define sys_get_num_workers() ((int)myr_worker_count())
#define sys_get_num_schedulers() 1

#define sys_abort() abort()
#define sys_assert(condition)                                                           \
  {                                                                                     \
    if (!(condition)) {                                                                 \
      fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                          \
    }                                                                                   \
  }

/* Time since the program started, in ticks of 10 MHz that wrap after seven minutes, as on the
 * machine of the papers; and a timer of each task's own that can be set back. */
static inline unsigned myrmics_ticks(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (unsigned)((unsigned long long)now.tv_sec * 10000000 + (unsigned)now.tv_nsec / 100);
}
static __thread unsigned myrmics_timer __attribute__((unused));

#define sys_free_timer_get_ticks() myrmics_ticks()
#define sys_free_timer_get_cycles() myrmics_ticks()
#define ar_free_timer_get_ticks() myrmics_ticks()
#define sys_timer_reset() ((void)(myrmics_timer = myrmics_ticks()))
#define sys_timer_get_cycles() (myrmics_ticks() - myrmics_timer)
#define sys_timer_get_msec() (sys_timer_get_cycles() / 10000)
#define sys_timer_busy_wait_cycles(cycles) myrmics_busy_wait(cycles)
#define sys_timer_busy_wait_msec(msec) myrmics_busy_wait((msec) * 10000u)

static inline void myrmics_busy_wait(unsigned ticks) {
  const unsigned begin = myrmics_ticks();
  while (myrmics_ticks() - begin < ticks) continue;
}

static inline int int_log2(int x) {
  int log = 0;
  while (x > 1) {
    x >>= 1;
    ++log;
  }
  return log;
}
static inline int int_log10(int x) {
  int log = 0;
  while (x >= 10) {
    x /= 10;
    ++log;
  }
  return log;
}

static inline unsigned myrmics_rand(unsigned seed) { return 1103515245u * seed + 12345u; }
#define rand(seed) myrmics_rand(seed)

#ifndef __cplusplus
#define sqrt(x) (_Generic((x), float: sqrtf, default: sqrt)(x))
#define pow(x, y) (_Generic((x) * (y), float: powf, default: pow)((x), (y)))
#endif

#ifdef __cplusplus
}
#endif
#endif
