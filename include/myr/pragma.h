/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that the output of myrcc calls besides those of myr.h: they make accesses of the memory
 * that a pragma names. For translated programs only; not meant to be called by hand.
 */
#ifndef MYR_PRAGMA_H
#define MYR_PRAGMA_H

#if !defined(__cplusplus) && !defined(__STDC_VERSION__) && defined(__STRICT_ANSI__)
#define inline __inline__ /* C90 has no such word */
#define MYR_PRAGMA_INLINE_
#endif
#include <myr/openmp.h>
#include <myr/outlined.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A size from a number that the program computed: a negative one is 0. */
static inline size_t myr_size(long long count, size_t bytes) {
  return count > 0 ? (size_t)count * bytes : 0;
}

/* How many elements there are from `first` to `last`, both included. 0 if `last` is the one before
 * `first`, even if the program computed it in unsigned numbers; `narrow`: in 32-bit ones. */
static inline long long myr_elements(long long first, unsigned long long last, int narrow) {
  const unsigned long long end = narrow ? (unsigned)(last + 1) : last + 1;
  return (long long)end - first;
}
#define myr_from_to(first, last)                               \
  myr_elements((long long)(first), (unsigned long long)(last), \
               sizeof(+(last)) == sizeof(unsigned) && (__typeof__(+(last)))-1 > 0)

/* In pragmas a null pointer declares nothing. */
static inline myr_access myr_access_at(const void* first, size_t bytes, unsigned flags) {
  return myr_make_access(first, bytes, first == NULL ? flags | MYR_MAYBE : flags);
}

/* An access to `bytes` from `first` on; an empty one declares nothing. */
static inline myr_access myr_piece(const volatile void* first, size_t bytes, unsigned flags) {
  return myr_access_at(bytes == 0 ? NULL : (const void*)(uintptr_t)first, bytes, flags);
}

/* An access to the object at `first`, or to `bytes` if no object of Myrmidon's starts there. */
static inline myr_access myr_object(const volatile void* first, size_t bytes, unsigned flags) {
  return myr_access_at((const void*)(uintptr_t)first, bytes, flags | MYR_WHOLE);
}

/* The accesses for a box of memory: `planes` times `rows` pieces of `bytes`, at fixed distances
 * from each other. */
typedef struct myr_box {
  const char* first;
  size_t bytes;
  size_t rows;
  size_t row_stride;
  size_t planes;
  size_t plane_stride;
  unsigned flags;
} myr_box;

/* Adjacent rows become one piece. */
static inline myr_box myr_box_of(const volatile void* first, size_t bytes, long long rows,
                                 size_t row_stride, long long planes, size_t plane_stride,
                                 unsigned flags) {
  myr_box box;
  box.first = (const char*)(uintptr_t)first;
  box.bytes = bytes;
  box.rows = myr_size(rows, 1);
  box.row_stride = row_stride;
  box.planes = myr_size(planes, 1);
  box.plane_stride = plane_stride;
  box.flags = flags;
  if (row_stride == bytes) {
    box.bytes *= box.rows;
    box.rows = 1;
  }
  if (box.bytes == 0) box.planes = 0;
  return box;
}

static inline size_t myr_box_count(myr_box box) { return box.rows * box.planes; }

/* Writes the accesses of a box; returns the place behind them. */
static inline myr_access* myr_put_box(myr_access* next, myr_box box) {
  size_t plane, row;
  for (plane = 0; plane < box.planes; ++plane) {
    for (row = 0; row < box.rows; ++row) {
      const char* first = box.first + plane * box.plane_stride + row * box.row_stride;
      *next++ = myr_access_at(first, box.bytes, box.flags);
    }
  }
  return next;
}

/* The accesses that iterators produce; in memory from malloc until they are put into a task. */
typedef struct myr_list {
  myr_access* first;
  size_t count;
  size_t room;
  int owners; /* C++: do objects among them own others? */
} myr_list;

static inline void myr_list_reserve(myr_list* list, size_t count) {
  if (list->count + count <= list->room) return;
  list->room = 2 * (list->count + count);
  list->first = (myr_access*)__builtin_realloc(list->first, list->room * sizeof *list->first);
  if (list->first == NULL) __builtin_abort();
}
static inline void myr_list_add(myr_list* list, myr_access access) {
  myr_list_reserve(list, 1);
  list->first[list->count++] = access;
}
/* The same for a part of one object: as one access with the last if they meet. */
static inline void myr_list_add_joined(myr_list* list, myr_access access) {
  myr_access* last = list->count == 0 ? NULL : &list->first[list->count - 1];
  const uintptr_t begin = (uintptr_t)access.address;
  const uintptr_t end = begin + access.bytes;
  const uintptr_t from = last == NULL ? 0 : (uintptr_t)last->address;
  const uintptr_t to = last == NULL ? 0 : from + last->bytes;
  if (last == NULL || last->flags != access.flags || begin > to || from > end) {
    myr_list_add(list, access);
    return;
  }
  *last = myr_piece((void*)(begin < from ? begin : from),
                    (end > to ? end : to) - (begin < from ? begin : from), access.flags);
}
static inline void myr_list_add_box(myr_list* list, myr_box box) {
  myr_list_reserve(list, myr_box_count(box));
  list->count = (size_t)(myr_put_box(list->first + list->count, box) - list->first);
}
/* Writes the accesses of a list and frees it; returns the place behind them. */
static inline myr_access* myr_put_list(myr_access* next, myr_list list) {
  size_t i;
  for (i = 0; i < list.count; ++i) *next++ = list.first[i];
  __builtin_free(list.first);
  return next;
}

static inline void myr_list_add_list(myr_list* list, myr_list more) {
  myr_list_reserve(list, more.count);
  myr_put_list(list->first + list->count, more);
  list->count += more.count;
}

/* What is handed over for the compiler's next task, and what that task wishes. */
static inline myr_next_task myr_next(const myr_access* accesses, size_t count,
                                     const myr_site* site) {
  myr_next_task next;
  next.accesses = accesses;
  next.access_count = count;
  next.site = site;
  next.wishes = 0;
  next.priority = 0;
  return next;
}
static inline void myr_wish(myr_next_task* next, int apart, int final, int priority) {
  if (!apart) next->wishes |= MYR_NEXT_AT_ONCE;
  if (final) next->wishes |= MYR_NEXT_FINAL;
  if (priority > 0) next->wishes |= MYR_NEXT_PRIORITY;
  next->priority = priority;
}

/* For variables that all files and programs share: the linker keeps one of them. */
MYR_API __attribute__((weak)) myr_critical myr_reduction_lock;
MYR_API __attribute__((weak)) myr_critical myr_atomic_lock;

/* Whether the caller is in a team of the compiler's OpenMP. NULL: that library is not linked. */
extern int myr_in_team(void) __asm__("omp_in_parallel") __attribute__((weak));
static inline void myr_check_team(const myr_site* site) {
  if (myr_in_team && myr_in_team()) myr_team_misuse(site);
}

/* Replaces OpenMP's omp_in_final(). */
static inline int myr_in_final(void) { return myr_final_depth != 0; }

/* An atomic change computes the new value from a copy, and stores it if no other thread was faster;
 * objects that no instruction can exchange are guarded by a lock. */
#define MYR_ATOMIC_LOAD(place, old)                     \
  (sizeof(old) <= 8 ? __atomic_load((place), &(old), 0) \
                    : (myr_critical_enter(&myr_atomic_lock, 0), (void)((old) = *(place))))
#define MYR_ATOMIC_STORE(place, old, fresh)                                              \
  (sizeof(old) <= 8 ? (int)__atomic_compare_exchange((place), &(old), &(fresh), 0,       \
                                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) \
                    : ((void)(*(place) = (fresh)), myr_critical_leave(&myr_atomic_lock), 1))

/* The iterations of a loop, divided into tasks that differ by at most one iteration. */
typedef struct myr_chunks {
  unsigned long long iterations;
  unsigned long long tasks;
} myr_chunks;
typedef struct myr_chunk {
  unsigned long long begin;
  unsigned long long end;
  int last;
} myr_chunk;

/* `grain`: the fewest iterations of a task, which has less than twice as many; `tasks`: the number
 * of tasks; 0: the runtime chooses. */
static inline myr_chunks myr_make_chunks(unsigned long long iterations, long long grain,
                                         long long tasks) {
  myr_chunks chunks;
  chunks.iterations = iterations;
  chunks.tasks = tasks > 0   ? (unsigned long long)tasks
                 : grain > 0 ? iterations / (unsigned long long)grain
                             : 8ULL * myr_worker_count();
  if (chunks.tasks > iterations) chunks.tasks = iterations;
  if (chunks.tasks == 0 && iterations > 0) chunks.tasks = 1;
  return chunks;
}
static inline myr_chunk myr_chunk_of(myr_chunks chunks, unsigned long long index) {
  const unsigned long long some = chunks.iterations / chunks.tasks;
  const unsigned long long more = chunks.iterations % chunks.tasks;
  myr_chunk chunk;
  chunk.begin = index * some + (index < more ? index : more);
  chunk.end = chunk.begin + some + (index < more);
  chunk.last = chunk.end == chunks.iterations;
  return chunk;
}

#ifdef MYR_PRAGMA_INLINE_
#undef inline
#undef MYR_PRAGMA_INLINE_
#endif

#ifdef __cplusplus
}
#endif

#endif
