/* SPDX-License-Identifier: Apache-2.0
 *
 * What the code that myrcc writes is made of, besides myr.h: memory named by a pragma, as a task's
 * accesses. For translated programs only; nothing here is meant to be called by hand.
 */
#ifndef MYR_PRAGMA_H
#define MYR_PRAGMA_H

#include <myr/myr.h>

/* A box of memory: `planes` times `rows` pieces of `bytes`, each so many bytes behind the one
 * before. No bytes: nothing. */
typedef struct myr_box {
  const char* first;
  size_t bytes;
  size_t rows;
  size_t row_stride;
  size_t planes;
  size_t plane_stride;
} myr_box;

/* A size from numbers that a program computed: less than nothing is nothing. */
static inline size_t myr_size(long long count, size_t bytes) {
  return count > 0 ? (size_t)count * bytes : 0;
}

/* `rows` rows that lie side by side are one piece. */
static inline myr_box myr_box_of(const volatile void* first, size_t bytes, long long rows,
                                 size_t row_stride, long long planes, size_t plane_stride) {
  myr_box box;
  box.first = (const char*)(uintptr_t)first;
  box.bytes = bytes;
  box.rows = myr_size(rows, 1);
  box.row_stride = row_stride;
  box.planes = myr_size(planes, 1);
  box.plane_stride = plane_stride;
  if (row_stride == bytes) {
    box.bytes *= box.rows;
    box.rows = box.rows > 0 ? 1 : 0;
  }
  if (box.bytes == 0) box.rows = 0;
  return box;
}
static inline myr_box myr_piece(const volatile void* first, size_t bytes) {
  return myr_box_of(first, bytes, 1, 0, 1, 0);
}

/* An object by its first byte; `bytes` if it is none of ours. */
static inline myr_box myr_object(const volatile void* first, size_t bytes) {
  myr_box box = myr_piece(first, 1);
  box.bytes = bytes;
  return box;
}

static inline size_t myr_box_accesses(myr_box box) { return box.rows * box.planes; }

/* Writes the accesses of a box; returns the place behind them. */
static inline myr_access* myr_put_box(myr_access* next, myr_box box, unsigned flags) {
  size_t plane, row;
  for (plane = 0; plane < box.planes; ++plane) {
    for (row = 0; row < box.rows; ++row) {
      const char* first = box.first + plane * box.plane_stride + row * box.row_stride;
      *next++ = myr_make_access(first, box.bytes, flags);
    }
  }
  return next;
}
static inline myr_access* myr_put_region(myr_access* next, myr_region region, unsigned flags) {
  *next = myr_region_access(region, flags);
  return next + 1;
}

#endif
