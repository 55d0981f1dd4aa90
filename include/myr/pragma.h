/* SPDX-License-Identifier: Apache-2.0
 *
 * What the code that myrcc writes is made of, besides myr.h: the memory that a pragma names, as
 * accesses. For translated programs only; nothing here is meant to be called by hand.
 */
#ifndef MYR_PRAGMA_H
#define MYR_PRAGMA_H

#if !defined(__cplusplus) && !defined(__STDC_VERSION__) && defined(__STRICT_ANSI__)
#define inline __inline__ /* C90 has no such word */
#define MYR_PRAGMA_INLINE_
#endif
#include <myr/myr.h>

/* A size from numbers that a program computed: less than nothing is nothing. */
static inline size_t myr_size(long long count, size_t bytes) {
  return count > 0 ? (size_t)count * bytes : 0;
}

/* An access to `bytes` from `first` on; none if that is nothing. */
static inline myr_access myr_piece(const volatile void* first, size_t bytes, unsigned flags) {
  return myr_make_access(bytes == 0 ? NULL : (const void*)(uintptr_t)first, bytes, flags);
}

/* An access to the object at `first`; to `bytes` if it is none of ours. */
static inline myr_access myr_object(const volatile void* first, size_t bytes, unsigned flags) {
  return myr_make_access((const void*)(uintptr_t)first, bytes, flags | MYR_WHOLE);
}

/* As many accesses as it takes for a box of memory: `planes` times `rows` pieces of `bytes`, each
 * so many bytes behind the one before. */
typedef struct myr_box {
  const char* first;
  size_t bytes;
  size_t rows;
  size_t row_stride;
  size_t planes;
  size_t plane_stride;
  unsigned flags;
} myr_box;

/* Rows that lie side by side become one piece. */
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
      *next++ = myr_make_access(first, box.bytes, box.flags);
    }
  }
  return next;
}

#ifdef MYR_PRAGMA_INLINE_
#undef inline
#undef MYR_PRAGMA_INLINE_
#endif

#ifdef MYR_PRAGMA_FINAL /* the program has a final clause */
/* Whether the running task is final: the tasks that it spawns run at once. */
static __thread int myr_in_final __attribute__((unused));
#endif

#endif
