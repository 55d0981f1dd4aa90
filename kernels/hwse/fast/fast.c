/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: two steps for each band of rows, either as two parallel loops whose chunks are
 * tasks, with a wait between, or as tasks that the rows put in order, so that the corners of a band
 * are listed while the next ones are still scored.
 */
#include "hwse/fast/fast.h"

static void score(const struct fast* f, size_t first) {
  const size_t width = f->width, rows = fast_band_rows(f, first);
  const uint8_t* pixels = f->pixels + (first - FAST_BORDER) * width;
  uint8_t* scores = f->scores + first * width;
#pragma omp task in([(rows + 2 * FAST_BORDER) * width] pixels), out([rows * width] scores)
  fast_score(f, pixels, scores, rows);
}

static void list(const struct fast* f, size_t first) {
  const size_t width = f->width, rows = fast_band_rows(f, first);
  const uint8_t* scores = f->scores + (first - 1) * width;
  uint16_t* columns = f->columns + first * width;
  uint32_t* counts = f->counts + first;
#pragma omp task in([(rows + 2) * width] scores), out([rows * width] columns, [rows] counts)
  fast_list(f, scores, columns, counts, rows);
}

static void run_loops(const struct fast* f) {
  const size_t end = f->height - FAST_BORDER;
  for (size_t first = FAST_BORDER; first < end; first += f->band) score(f, first);
#pragma omp taskwait
  for (size_t first = FAST_BORDER; first < end; first += f->band) list(f, first);
#pragma omp taskwait
}

static void run_tasks(const struct fast* f) {
  const size_t end = f->height - FAST_BORDER;
  size_t first = FAST_BORDER;
  score(f, first);
  for (; first + f->band < end; first += f->band) {
    score(f, first + f->band);
    list(f, first);
  }
  list(f, first);
#pragma omp taskwait
}

void fast_run(struct fast* f) {
  if (f->loops) {
    run_loops(f);
  } else {
    run_tasks(f);
  }
}
