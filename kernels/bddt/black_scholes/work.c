/* SPDX-License-Identifier: Apache-2.0
 *
 * The price of an option after Black and Scholes (1973). As in the PARSEC benchmark, the normal
 * distribution is the polynomial 26.2.17 of Abramowitz and Stegun, right to 7.5e-8.
 */
#include "chip/work.h"

#include <math.h>

#include "bddt/black_scholes/black_scholes.h"
#include "chip/scc_costs.h"

static double normal_distribution(double x) {
  const double kInverseRootOf2Pi = 0.39894228040143267794;
  const double t = 1 / (1 + 0.2316419 * fabs(x));
  const double polynomial =
      t *
      (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const double tail = kInverseRootOf2Pi * exp(-0.5 * x * x) * polynomial;
  return x < 0 ? tail : 1 - tail;
}

static double price(const struct option* option) {
  const double deviation = option->volatility * sqrt(option->years);
  const double growth = option->rate + 0.5 * option->volatility * option->volatility;
  const double d1 = (log(option->spot / option->strike) + growth * option->years) / deviation;
  const double d2 = d1 - deviation;
  const double strike_today = option->strike * exp(-option->rate * option->years);
  if (option->kind == OPTION_PUT) {
    return strike_today * normal_distribution(-d2) - option->spot * normal_distribution(-d1);
  }
  return option->spot * normal_distribution(d1) - strike_today * normal_distribution(d2);
}

void price_block(const struct option* options, double* prices, size_t count) {
  for (size_t i = 0; i < count; ++i) prices[i] = price(&options[i]);
  kernel_work(count * SCC_OPTION);
}
