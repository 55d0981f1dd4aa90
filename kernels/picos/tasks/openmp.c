/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.c with OpenMP's tasks.
 */
#include "picos/tasks/words.h"

void words_tasks(struct words* all) {
  const size_t rounds = all->rounds;
#pragma omp parallel
#pragma omp single
  for (size_t i = 0; i < all->tasks; ++i) {
    struct word** w = all->words + i * all->step;
    switch (all->deps) {
      case 0:
#pragma omp task
        advance(w[0], rounds);
        break;
      case 1:
#pragma omp task depend(inout : w[0][0])
        advance(w[0], rounds);
        break;
      case 3:
#pragma omp task depend(inout : w[0][0], w[1][0], w[2][0])
        advance(w[0], rounds);
        break;
      case 15:
#pragma omp task depend(inout : w[0][0], w[1][0], w[2][0], w[3][0], w[4][0], w[5][0], w[6][0], \
                            w[7][0], w[8][0], w[9][0], w[10][0], w[11][0], w[12][0], w[13][0], \
                            w[14][0])
        advance(w[0], rounds);
        break;
    }
  }
}
