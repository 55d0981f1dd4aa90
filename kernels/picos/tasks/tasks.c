/* SPDX-License-Identifier: Apache-2.0
 *
 * The program. Every task has words of its own, so all of them may run at once; or all have the
 * same words (`step` is 0), so each waits for the one before it.
 */
#include "picos/tasks/words.h"

void words_run(struct words* all) {
  const size_t rounds = all->rounds;
  for (size_t i = 0; i < all->tasks; ++i) {
    struct word** w = all->words + i * all->step;
    switch (all->deps) {
      case 0:
#pragma omp task
        advance(w[0], rounds);
        break;
      case 1:
#pragma omp task inout(*w[0])
        advance(w[0], rounds);
        break;
      case 3:
#pragma omp task inout(*w[0], *w[1], *w[2])
        advance(w[0], rounds);
        break;
      case 15:
#pragma omp task inout(*w[0], *w[1], *w[2], *w[3], *w[4], *w[5], *w[6], *w[7], *w[8], *w[9], \
                           *w[10], *w[11], *w[12], *w[13], *w[14])
        advance(w[0], rounds);
        break;
    }
  }
#pragma omp taskwait
}
