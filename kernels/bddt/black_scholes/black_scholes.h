/* SPDX-License-Identifier: Apache-2.0
 *
 * Prices of European options, in blocks; see README.md. The program with tasks is black_scholes.c,
 * with OpenMP's tasks openmp.c; what a task does is in work.c.
 */
#ifndef BLACK_SCHOLES_H
#define BLACK_SCHOLES_H

#include <myr/myr.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum option_kind { OPTION_CALL, OPTION_PUT };

/* The right to buy (call) or sell (put) something for the strike price in some years. */
struct option {
  double spot; /* what it costs today */
  double strike;
  double rate;       /* interest a year without risk */
  double volatility; /* a year */
  double years;
  enum option_kind kind;
};

struct black_scholes {
  size_t block_count;
  size_t block_size; /* options */
  struct option** options;
  double** prices;
  myr_region option_region, price_region; /* where they lie */
};

void price_block(const struct option* options, double* prices, size_t count);

void black_scholes_serial(struct black_scholes* market);
void black_scholes_tasks(struct black_scholes* market);

#ifdef __cplusplus
}
#endif
#endif
