/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: three steps for each level of the pyramid, either as parallel loops whose chunks are
 * tasks, with a wait after each, or as tasks in order of their data: rows are added up as soon as
 * they and those above are there, and windows are scanned as soon as the rows that they see are.
 */
#include "hwse/viola_jones/viola_jones.h"

static void shrink(const struct viola_jones* v, const struct vj_level* level, size_t first) {
  const struct vj_band band = vj_band_at(v, level, first);
  const uint8_t* pixels = v->pixels + level->down[first].at * v->width;
  uint32_t* sums = vj_sums(v, level, first + 1);
#pragma omp task in([vj_source_rows(band) * v->width] pixels), out([band.rows * v->row] sums)
  vj_shrink(v, band, pixels, sums);
}

static void add_rows(const struct viola_jones* v, const struct vj_level* level, size_t first) {
  const struct vj_band band = vj_band_at(v, level, first);
  const uint32_t* above = vj_sums(v, level, first);
  uint32_t* sums = vj_sums(v, level, first + 1);
#pragma omp task in([v->row] above), inout([band.rows * v->row] sums)
  vj_add_rows(v, band, above, sums);
}

/* Columns are no range of the table's memory but a piece of each of its rows. So a task names the
 * whole table, in which it changes columns that no other of these tasks touches. */
static void add_columns(const struct viola_jones* v, const struct vj_level* level, size_t first) {
  const size_t rows = level->height;
  const size_t left = level->width - first;
  const size_t columns = left < VJ_COLUMNS ? left : VJ_COLUMNS;
  uint32_t* table = vj_sums(v, level, 1);
#pragma omp task concurrent([rows * v->row] table)
  vj_add_columns(v, rows, columns, table + first + 1, table + v->stride + first + 1);
}

static void scan(const struct viola_jones* v, const struct vj_level* level, size_t first) {
  const struct vj_band band = vj_scan_band_at(v, level, first);
  const uint32_t* sums = vj_sums(v, level, first * level->step);
  uint16_t* hits = level->hits + first * level->window_columns;
  uint32_t* counts = level->counts + first;
#pragma omp task in([vj_seen_rows(v, band) * v->row] sums), \
    out([band.rows * level->window_columns] hits, [band.rows] counts)
  vj_scan(v, band, sums, hits, counts);
}

static void run_loops(const struct viola_jones* v, const struct vj_level* level) {
  const size_t scanned_rows = vj_scanned_rows(level);
  for (size_t first = 0; first < level->height; first += v->band) shrink(v, level, first);
#pragma omp taskwait
  for (size_t first = 0; first < level->width; first += VJ_COLUMNS) add_columns(v, level, first);
#pragma omp taskwait
  for (size_t first = 0; first < scanned_rows; first += v->band) scan(v, level, first);
#pragma omp taskwait
}

static void spawn_tasks(const struct viola_jones* v, const struct vj_level* level) {
  const size_t scanned_rows = vj_scanned_rows(level);
  for (size_t first = 0; first < level->height; first += v->band) {
    shrink(v, level, first);
    add_rows(v, level, first);
  }
  for (size_t first = 0; first < scanned_rows; first += v->band) scan(v, level, first);
}

void viola_jones_run(struct viola_jones* v) {
  for (size_t i = 0; i < v->level_count; ++i) {
    if (v->loops) {
      run_loops(v, &v->levels[i]);
    } else {
      spawn_tasks(v, &v->levels[i]);
    }
  }
#pragma omp taskwait
}
