// SPDX-License-Identifier: Apache-2.0
//
// black_scholes of kernels/bddt: SIZE options in blocks of TASK.
#include "bddt/black_scholes/black_scholes.h"

#include "common/random.hpp"
#include "frame.hpp"

extern "C" void black_scholes_run(black_scholes* market);

extern "C" int firmware_main() {
  const frame::Blocks<option> options(SIZE / TASK, TASK);
  const frame::Blocks<double> prices(SIZE / TASK, TASK);
  kernels::Random random(1973);
  const auto between = [&](double low, double high) {
    return low + (high - low) * random.uniform();
  };
  for (size_t i = 0; i < SIZE; ++i) {
    option& o = options.first[i / TASK][i % TASK];
    o.spot = between(20, 150);
    o.strike = o.spot * between(0.5, 1.5);
    o.rate = between(0.025, 0.1);
    o.volatility = between(0.05, 0.65);
    o.years = between(0.05, 1);
    o.kind = i % 2 == 0 ? OPTION_CALL : OPTION_PUT;
  }
  prices.fill(0);
  black_scholes market{SIZE / TASK, TASK, options.first, prices.first};
  frame::measure([&] { black_scholes_run(&market); });
  frame::Digest digest;
  digest.add(prices);
  digest.print();
  return 0;
}
