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
#include <myr/spmd.h>
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
typedef void (*func_t)();

#define SYS_TYPE_IN_ARG MYR_IN
#define SYS_TYPE_OUT_ARG MYR_OUT
#define SYS_TYPE_INOUT_ARG MYR_INOUT
#define SYS_TYPE_NOTRANSFER_ARG MYR_NOTRANSFER
#define SYS_TYPE_SAFE_ARG MYR_VALUE
#define SYS_TYPE_REGION_ARG MYR_REGION
#define SYS_TYPE_BYVALUE_ARG (MYR_VALUE | MYR_IN)
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

/* Of SPMD programs. The receiver's variables become what the sender names. */
#define sys_send(worker, regions, region_count, objects, object_count)            \
  myr_spmd_send((unsigned)(worker), (regions), (size_t)(region_count), (objects), \
                (size_t)(object_count))
#define sys_recv(worker, regions, region_count, objects, object_count)              \
  myrmics_receive((unsigned)(worker), (regions), (size_t)(region_count), (objects), \
                  (size_t)(object_count), MYR_SITE_)
#define sys_barrier() myr_spmd_barrier()

static inline void myrmics_receive(unsigned worker, rid_t* const* regions, size_t region_count,
                                   void** const* objects, size_t object_count,
                                   const myr_site* site) {
  const size_t words = region_count + object_count + 1; /* of 8 bytes each */
  rid_t* const ids = (rid_t*)malloc(words * sizeof(rid_t));
  void** const places = (void**)(void*)(ids + region_count);
  size_t i;
  if (ids == NULL) {
    fprintf(stderr, "%s:%u: error: sys_recv(): no memory\n", site->file, site->line);
    exit(MYR_EXIT_MISUSE);
  }
  myr_spmd_receive_at(worker, ids, region_count, places, object_count, site);
  for (i = 0; i < region_count; ++i) *regions[i] = ids[i];
  for (i = 0; i < object_count; ++i) *objects[i] = places[i];
  free(ids);
}

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

static inline myr_access myrmics_access(void* word, unsigned type) {
  if ((type & MYR_VALUE) != 0) return myr_pointer(word);
  if ((type & MYR_REGION) != 0) return myr_region_access((myr_region)(uintptr_t)word, type);
  return myr_make_access(word, 0, word == NULL ? type | MYR_MAYBE : type);
}

/* Waits until the caller may use what `args` and `types` name, in these ways. */
#define sys_wait(args, types, count) \
  myrmics_wait((void* const*)(args), (const unsigned*)(types), (size_t)(count), MYR_SITE_)
/* The same for objects, in any way. */
#define sys_wait_on(objects, count) \
  myrmics_wait((void* const*)(objects), NULL, (size_t)(count), MYR_SITE_)

static inline void myrmics_wait(void* const* args, const unsigned* types, size_t count,
                                const myr_site* site) {
  size_t i;
  for (i = 0; i < count; ++i) {
    const myr_access access = myrmics_access(args[i], types == NULL ? MYR_INOUT : types[i]);
    if (args[i] != NULL) myr_wait_at(&access, 1, site);
  }
}

#ifndef __cplusplus
/* Spawns entry `index` of SYS_TASK_TABLE, the program's table of functions (`myrcc --main=FUNCTION`
 * defines it as FUNCTION_task_table). The words of `args` become its arguments. */
#define sys_spawn(index, args, types, count)                                             \
  do {                                                                                   \
    extern func_t SYS_TASK_TABLE[];                                                      \
    myrmics_spawn(SYS_TASK_TABLE[index], (void* const*)(args), (const unsigned*)(types), \
                  (size_t)(count), MYR_SITE_);                                           \
  } while (0)

#define MYRMICS_WORDS_8(w) (w)[0], (w)[1], (w)[2], (w)[3], (w)[4], (w)[5], (w)[6], (w)[7]
#define MYRMICS_WORDS_32(w) \
  MYRMICS_WORDS_8(w), MYRMICS_WORDS_8((w) + 8), MYRMICS_WORDS_8((w) + 16), MYRMICS_WORDS_8((w) + 24)
#define MYRMICS_WORDS_128(w)                                                   \
  MYRMICS_WORDS_32(w), MYRMICS_WORDS_32((w) + 32), MYRMICS_WORDS_32((w) + 64), \
      MYRMICS_WORDS_32((w) + 96)
#define MYRMICS_WORDS_MAX 640

/* The body of every task that sys_spawn() makes: its first two accesses are the function and the
 * number of words. A function does not mind words that it has no parameters for: its caller passes
 * and removes them. */
static inline void myrmics_run(const myr_access* args) {
  const func_t function = (func_t)(uintptr_t)args[0].integer;
  const size_t count = (size_t)args[1].integer;
  void* words[MYRMICS_WORDS_MAX] = {0};
  size_t i;
  for (i = 0; i < count; ++i) words[i] = args[i + 2].address;
  if (count <= 8) {
    function(MYRMICS_WORDS_8(words));
  } else if (count <= 32) {
    function(MYRMICS_WORDS_32(words));
  } else {
    function(MYRMICS_WORDS_128(words), MYRMICS_WORDS_128(words + 128),
             MYRMICS_WORDS_128(words + 256), MYRMICS_WORDS_128(words + 384),
             MYRMICS_WORDS_128(words + 512));
  }
}

static inline void myrmics_spawn(func_t function, void* const* args, const unsigned* types,
                                 size_t count, const myr_site* site) {
  myr_access accesses[MYRMICS_WORDS_MAX + 2];
  size_t i;
  if (count > MYRMICS_WORDS_MAX) {
    fprintf(stderr, "%s:%u: error: sys_spawn() takes %d arguments at most\n", site->file,
            site->line, MYRMICS_WORDS_MAX);
    exit(MYR_EXIT_MISUSE);
  }
  accesses[0] = myr_value((int64_t)(uintptr_t)function);
  accesses[1] = myr_value((int64_t)count);
  for (i = 0; i < count; ++i) accesses[i + 2] = myrmics_access(args[i], types[i]);
  myr_spawn_at(myrmics_run, accesses, count + 2, site);
}
#endif

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
