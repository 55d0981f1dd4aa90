/* SPDX-License-Identifier: Apache-2.0
 *
 * black_scholes.c as OpenMP's parallel loop.
 */
#include "bddt/black_scholes/black_scholes.h"

void black_scholes_tasks(struct black_scholes* market) {
#pragma omp parallel for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < market->block_count; ++i) {
    price_block(market->options[i], market->prices[i], market->block_size);
  }
}
