/* SPDX-License-Identifier: Apache-2.0
 *
 * Sections, single, critical, atomic, barrier, copyprivate, teams of several sizes, and regions
 * inside of regions. */
#include <omp.h>

#include "report.h"

static unsigned in_sections(void) {
  unsigned sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    for (int round = 0; round < 6; ++round) {
#pragma omp sections nowait
      {
#pragma omp section
        sum += 1;
#pragma omp section
        sum += 10;
#pragma omp section
        sum += 100;
      }
    }
#pragma omp sections
    {
#pragma omp section
      sum += 1000;
    }
  }
#pragma omp parallel sections reduction(+ : sum)
  {
#pragma omp section
    sum += 10000;
#pragma omp section
    sum += 100000;
  }
  return sum;
}

static unsigned in_single(void) {
  unsigned singles = 0, copies = 0, value = 0;
#pragma omp parallel firstprivate(value) shared(singles, copies)
  for (unsigned round = 1; round <= 8; ++round) {
#pragma omp single nowait
    {
#pragma omp atomic
      singles += round;
    }
#pragma omp single copyprivate(value)
    value = round * 3;
#pragma omp critical
    copies |= value ^ (round * 3);
  }
  return singles + 1000 * copies;
}

/* What one phase writes, all read in the next. */
static unsigned in_phases(void) {
  enum { THREADS_MAX = 64 };
  static unsigned phase_of[THREADS_MAX];
  unsigned wrong = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (unsigned phase = 1; phase <= 10; ++phase) {
      phase_of[me] = phase;
#pragma omp barrier
      for (int i = 0; i < all; ++i) {
        if (phase_of[i] != phase) {
#pragma omp critical(wrong_phase)
          wrong += 1;
        }
      }
#pragma omp barrier
    }
  }
  return wrong;
}

static unsigned in_teams(void) {
  unsigned wrong = 0;
  for (int size = 1; size <= omp_get_num_procs(); ++size) {
    unsigned threads = 0, seen = 0;
#pragma omp parallel num_threads(size)
    {
#pragma omp atomic
      threads += 1;
#pragma omp atomic
      seen |= 1u << omp_get_thread_num();
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 4; ++i) {
#pragma omp atomic
        threads += 1;
      }
    }
    wrong += threads != (unsigned)size + 4 || seen != (1u << size) - 1;
  }
  return wrong;
}

static unsigned in_regions(void) {
  unsigned sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 12; ++i) {
    unsigned inner = 0;
#pragma omp parallel num_threads(1)
    {
#pragma omp for schedule(dynamic, 2) reduction(+ : inner)
      for (int j = 0; j < 10; ++j) inner += (unsigned)j;
#pragma omp sections
      {
#pragma omp section
        {
          inner += 100;
#pragma omp parallel sections num_threads(1)
          {
#pragma omp section
            inner += 1000;
#pragma omp section
            inner += 10000;
          }
        }
#pragma omp section
        inner += 100000;
      }
#pragma omp single
      inner += 1;
    }
    sum += inner;
  }
  return sum;
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    report("sections", in_sections());
    report("single", in_single());
    report("phases", in_phases());
    report("teams", in_teams());
    report("regions", in_regions());
  }
  return 0;
}
