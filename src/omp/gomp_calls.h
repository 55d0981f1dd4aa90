/* SPDX-License-Identifier: Apache-2.0
 *
 * What gcc's OpenMP code calls, for C and C++, as far as both of our libraries have it: this one,
 * and that of the cluster around the scheduling engine (hw/hwse/firmware/omp/gomp.c). Both include
 * it where they define the calls, so that no compiler lets one of them differ. See ADR 52.
 *
 * Calls are listed by the primitives of the paper on HWSE that they consist of. */
#ifndef MYR_OMP_GOMP_CALLS_H
#define MYR_OMP_GOMP_CALLS_H

#include <stdbool.h>

/* Codes of schedules; the one that is made monotonic has the same. */
enum gomp_schedule { GOMP_STATIC = 1, GOMP_DYNAMIC = 2, GOMP_GUIDED = 3 };

/* What a task or a taskloop asks for. */
enum gomp_task_flag {
  GOMP_TASK_UNTIED = 1 << 0,
  GOMP_TASK_FINAL = 1 << 1,
  GOMP_TASK_DEPEND = 1 << 3,
  GOMP_TASK_PRIORITY = 1 << 4,
  GOMP_TASK_UP = 1 << 8, /* a taskloop over unsigned numbers counts up */
  GOMP_TASK_GRAINSIZE = 1 << 9,
  GOMP_TASK_IF = 1 << 10, /* of a taskloop: its clause is true */
  GOMP_TASK_NOGROUP = 1 << 11,
  GOMP_TASK_REDUCTION = 1 << 12,
  GOMP_TASK_DETACH = 1 << 13,
  GOMP_TASK_STRICT = 1 << 14
};

typedef unsigned long long gomp_ull;

#ifdef __cplusplus
extern "C" {
#endif

/* INIT of a work-share and the first FETCH: start. FETCH: next. */
#define GOMP_LOOP(NAME)                                                                    \
  bool GOMP_loop_##NAME##_start(long start, long end, long stride, long chunk, long* from, \
                                long* to);                                                 \
  bool GOMP_loop_##NAME##_next(long* from, long* to)
#define GOMP_LOOP_ULL(NAME)                                                                 \
  bool GOMP_loop_ull_##NAME##_start(bool up, gomp_ull start, gomp_ull end, gomp_ull stride, \
                                    gomp_ull chunk, gomp_ull* from, gomp_ull* to);          \
  bool GOMP_loop_ull_##NAME##_next(gomp_ull* from, gomp_ull* to)
#define GOMP_RUNTIME_LOOP(NAME)                                                           \
  bool GOMP_loop_##NAME##_start(long start, long end, long stride, long* from, long* to); \
  bool GOMP_loop_##NAME##_next(long* from, long* to)
GOMP_LOOP(static);
GOMP_LOOP(dynamic);
GOMP_LOOP(guided);
GOMP_LOOP(nonmonotonic_dynamic);
GOMP_LOOP(nonmonotonic_guided);
GOMP_LOOP(ordered_static);
GOMP_LOOP(ordered_dynamic);
GOMP_LOOP(ordered_guided);
GOMP_LOOP_ULL(dynamic);
GOMP_LOOP_ULL(guided);
GOMP_LOOP_ULL(nonmonotonic_dynamic);
GOMP_LOOP_ULL(nonmonotonic_guided);
GOMP_RUNTIME_LOOP(runtime);
GOMP_RUNTIME_LOOP(nonmonotonic_runtime);
GOMP_RUNTIME_LOOP(maybe_nonmonotonic_runtime);
#undef GOMP_LOOP
#undef GOMP_LOOP_ULL
#undef GOMP_RUNTIME_LOOP
unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections_next(void);
bool GOMP_single_start(void);
void* GOMP_single_copy_start(void);
void GOMP_single_copy_end(void* data);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);

/* END; without nowait also SYNC. */
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);

/* A region, with the INIT of its work-share, and SYNC. */
#define GOMP_PARALLEL_LOOP(NAME)                                                             \
  void GOMP_parallel_loop_##NAME(void (*body)(void*), void* data, unsigned size, long start, \
                                 long end, long stride, long chunk, unsigned flags)
#define GOMP_PARALLEL_RUNTIME_LOOP(NAME)                                                     \
  void GOMP_parallel_loop_##NAME(void (*body)(void*), void* data, unsigned size, long start, \
                                 long end, long stride, unsigned flags)
void GOMP_parallel(void (*body)(void*), void* data, unsigned size, unsigned flags);
void GOMP_parallel_sections(void (*body)(void*), void* data, unsigned size, unsigned count,
                            unsigned flags);
GOMP_PARALLEL_LOOP(static);
GOMP_PARALLEL_LOOP(dynamic);
GOMP_PARALLEL_LOOP(guided);
GOMP_PARALLEL_LOOP(nonmonotonic_dynamic);
GOMP_PARALLEL_LOOP(nonmonotonic_guided);
GOMP_PARALLEL_RUNTIME_LOOP(runtime);
GOMP_PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime);
GOMP_PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime);
#undef GOMP_PARALLEL_LOOP
#undef GOMP_PARALLEL_RUNTIME_LOOP

/* INIT of tasks. FETCH and END are in SYNC, and where else a thread has nothing to do. */
void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long bytes,
               long alignment, bool deferred, unsigned flags, void** dependences, int priority,
               void* detached);
void GOMP_taskloop(void (*body)(void*), void* data, void (*copy)(void*, void*), long bytes,
                   long alignment, unsigned flags, unsigned long tasks, int priority, long start,
                   long end, long step);
void GOMP_taskloop_ull(void (*body)(void*), void* data, void (*copy)(void*, void*), long bytes,
                       long alignment, unsigned flags, unsigned long tasks, int priority,
                       gomp_ull start, gomp_ull end, gomp_ull step);
void GOMP_taskgroup_start(void);

/* SYNC. */
void GOMP_barrier(void);
void GOMP_taskwait(void);
void GOMP_taskwait_depend(void** dependences);
void GOMP_taskgroup_end(void);
void GOMP_taskyield(void);

/* Locks, which are neither. */
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void** lock);
void GOMP_critical_name_end(void** lock);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

#ifdef __cplusplus
}
#endif

#endif
