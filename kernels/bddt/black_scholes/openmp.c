/* SPDX-License-Identifier: Apache-2.0
 *
 * black_scholes.c with OpenMP's tasks. The blocks are independent, so none is declared.
 */
#include "bddt/black_scholes/black_scholes.h"

void black_scholes_tasks(struct black_scholes* market) {
#pragma omp parallel
#pragma omp single
  for (size_t i = 0; i < market->block_count; ++i) {
#pragma omp task firstprivate(i)
    price_block(market->options[i], market->prices[i], market->block_size);
  }
}
