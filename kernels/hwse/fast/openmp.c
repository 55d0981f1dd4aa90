/* SPDX-License-Identifier: Apache-2.0
 *
 * fast.c with OpenMP's parallel loops and with its tasks. A band's first score stands for the band:
 * OpenMP orders tasks by equal addresses only, not by ranges that overlap.
 */
#include "hwse/fast/fast.h"

static void score(const struct fast* f, size_t first) {
  fast_score(f, f->pixels + (first - FAST_BORDER) * f->width, f->scores + first * f->width,
             fast_band_rows(f, first));
}

static void list(const struct fast* f, size_t first) {
  fast_list(f, f->scores + (first - 1) * f->width, f->columns + first * f->width, f->counts + first,
            fast_band_rows(f, first));
}

static void run_loops(const struct fast* f) {
  const size_t end = f->height - FAST_BORDER;
#pragma omp parallel
  {
#pragma omp for schedule(OPENMP_SCHEDULE)
    for (size_t first = FAST_BORDER; first < end; first += f->band) score(f, first);
#pragma omp for schedule(OPENMP_SCHEDULE)
    for (size_t first = FAST_BORDER; first < end; first += f->band) list(f, first);
  }
}

static void spawn_score(const struct fast* f, size_t first) {
#pragma omp task depend(out : f->scores[first * f->width])
  score(f, first);
}

static void spawn_list(const struct fast* f, size_t first) {
  const size_t last = f->height - FAST_BORDER - 1;
  const size_t above = first > FAST_BORDER ? first - f->band : first;
  const size_t below = last - first >= f->band ? first + f->band : first;
#pragma omp task depend(in : f->scores[above * f->width], f->scores[first * f->width], \
                            f->scores[below * f->width])
  list(f, first);
}

static void run_tasks(const struct fast* f) {
  const size_t end = f->height - FAST_BORDER;
#pragma omp parallel
#pragma omp single
  {
    size_t first = FAST_BORDER;
    spawn_score(f, first);
    for (; first + f->band < end; first += f->band) {
      spawn_score(f, first + f->band);
      spawn_list(f, first);
    }
    spawn_list(f, first);
  }
}

void fast_tasks(struct fast* f) {
  if (f->loops) {
    run_loops(f);
  } else {
    run_tasks(f);
  }
}
