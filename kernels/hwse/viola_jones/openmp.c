/* SPDX-License-Identifier: Apache-2.0
 *
 * viola_jones.c with OpenMP's parallel loops and with its tasks. OpenMP orders tasks by equal
 * addresses only, not by ranges that overlap: the first square of a band stands for its shrunken
 * rows, the first sum for the ones added up, which contain all above.
 */
#include "hwse/viola_jones/viola_jones.h"

static void shrink(const struct viola_jones* v, const struct vj_level* level, size_t first) {
  vj_shrink(v, vj_band_at(v, level, first), v->pixels + level->down[first].at * v->width,
            vj_sums(v, level, first + 1));
}

static void add_rows(const struct viola_jones* v, const struct vj_level* level, size_t first) {
  vj_add_rows(v, vj_band_at(v, level, first), vj_sums(v, level, first),
              vj_sums(v, level, first + 1));
}

static void add_columns(const struct viola_jones* v, const struct vj_level* level, size_t first) {
  const size_t left = level->width - first;
  uint32_t* sums = vj_sums(v, level, 1) + first + 1;
  vj_add_columns(v, level->height, left < VJ_COLUMNS ? left : VJ_COLUMNS, sums, sums + v->stride);
}

static void scan(const struct viola_jones* v, const struct vj_level* level, size_t first) {
  vj_scan(v, vj_scan_band_at(v, level, first), vj_sums(v, level, first * level->step),
          level->hits + first * level->window_columns, level->counts + first);
}

/* Called by all threads. */
static void run_loops(const struct viola_jones* v, const struct vj_level* level) {
  const size_t window_rows = vj_scanned_rows(level);
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t first = 0; first < level->height; first += v->band) shrink(v, level, first);
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t first = 0; first < level->width; first += VJ_COLUMNS) add_columns(v, level, first);
#pragma omp for schedule(OPENMP_SCHEDULE)
  for (size_t first = 0; first < window_rows; first += v->band) scan(v, level, first);
}

/* The place of the first sum of the band that holds a row. */
static size_t place(const struct viola_jones* v, size_t row) {
  return (row / v->band * v->band + 1) * v->row;
}

static void spawn_band(const struct viola_jones* v, const struct vj_level* level, size_t first) {
  const size_t added = place(v, first), shrunken = added + v->stride;
  const size_t above = first == 0 ? 0 : place(v, first - 1);
#pragma omp task depend(out : level->sums[shrunken])
  shrink(v, level, first);
#pragma omp task depend(in : level->sums[shrunken], level->sums[above]) \
    depend(out : level -> sums[added])
  add_rows(v, level, first);
}

static void spawn_scan(const struct viola_jones* v, const struct vj_level* level, size_t first) {
  const size_t seen_rows = vj_seen_rows(v, vj_scan_band_at(v, level, first));
  const size_t last = place(v, first * level->step + seen_rows - 2);
#pragma omp task depend(in : level->sums[last])
  scan(v, level, first);
}

static void spawn_tasks(const struct viola_jones* v, const struct vj_level* level) {
  const size_t window_rows = vj_scanned_rows(level);
  for (size_t first = 0; first < level->height; first += v->band) spawn_band(v, level, first);
  for (size_t first = 0; first < window_rows; first += v->band) spawn_scan(v, level, first);
}

void viola_jones_tasks(struct viola_jones* v) {
#pragma omp parallel
  if (v->loops) {
    for (size_t i = 0; i < v->level_count; ++i) run_loops(v, &v->levels[i]);
  } else {
#pragma omp single
    for (size_t i = 0; i < v->level_count; ++i) spawn_tasks(v, &v->levels[i]);
  }
}
