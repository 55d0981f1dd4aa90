/* SPDX-License-Identifier: Apache-2.0
 *
 * What tasks do with tiles: sorting by merging, and the merge of two sorted tiles. The loops choose
 * without a branch, which no processor could foretell.
 */
#include "chip/work.h"

#include <string.h>

#include "chip/costs.h"
#include "myrmics/bitonic/bitonic.h"

enum { RUN = 16 }; /* numbers that are sorted by insertion before the first merge */

static void insertion_sort(int* numbers, size_t count) {
  for (size_t i = 1; i < count; ++i) {
    const int number = numbers[i];
    size_t hole = i;
    for (; hole > 0 && numbers[hole - 1] > number; --hole) numbers[hole] = numbers[hole - 1];
    numbers[hole] = number;
  }
}

static void merge_runs(const int* a, size_t a_count, const int* b, size_t b_count, int* to) {
  const int* const a_end = a + a_count;
  const int* const b_end = b + b_count;
  while (a != a_end && b != b_end) {
    const int x = *a, y = *b;
    *to++ = x <= y ? x : y;
    a += x <= y;
    b += x > y;
  }
  memcpy(to, a, (size_t)(a_end - a) * sizeof(int));
  memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(int));
}

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

void bitonic_sort(int* numbers, int* scratch, size_t count) {
  for (size_t i = 0; i < count; i += RUN) insertion_sort(numbers + i, min(RUN, count - i));
  kernel_work(count * COST_INSERT);
  int* from = numbers;
  int* to = scratch;
  for (size_t run = RUN; run < count; run *= 2) {
    kernel_work(count * COST_MERGE);
    for (size_t i = 0; i < count; i += 2 * run) {
      const size_t a_count = min(run, count - i);
      const size_t b_count = min(run, count - i - a_count);
      merge_runs(from + i, a_count, from + i + a_count, b_count, to + i);
    }
    int* const swap = from;
    from = to, to = swap;
  }
  if (from != numbers) memcpy(numbers, from, count * sizeof(int));
}

static void merge_low(const int* a, const int* b, int* to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const int x = *a, y = *b;
    to[i] = x <= y ? x : y;
    a += x <= y;
    b += x > y;
  }
}

static void merge_high(const int* a, const int* b, int* to, size_t count) {
  a += count - 1;
  b += count - 1;
  for (size_t i = count; i-- > 0;) {
    const int x = *a, y = *b;
    to[i] = x >= y ? x : y;
    a -= x >= y;
    b -= x < y;
  }
}

void bitonic_merge(const int* a, const int* b, int* to, size_t count, bool low) {
  if (low) {
    merge_low(a, b, to, count);
  } else {
    merge_high(a, b, to, count);
  }
  kernel_work(count * COST_MERGE);
}

void bitonic_copy(void* const* from, void* const* to, size_t tile_count, size_t tile_size) {
  for (size_t i = 0; i < tile_count; ++i) memcpy(to[i], from[i], tile_size * sizeof(int));
  kernel_work(tile_count * tile_size * COST_COPY);
}
