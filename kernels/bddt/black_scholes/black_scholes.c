/* SPDX-License-Identifier: Apache-2.0
 *
 * The program: a task for each block of options.
 */
#include "bddt/black_scholes/black_scholes.h"

void black_scholes_run(struct black_scholes* market) {
  const size_t size = market->block_size;
  for (size_t i = 0; i < market->block_count; ++i) {
    struct option* options = market->options[i];
    double* prices = market->prices[i];
#pragma omp task in([size] options), out([size] prices)
    price_block(options, prices, size);
  }
#pragma omp taskwait
}
