// SPDX-License-Identifier: Apache-2.0
//
// black_scholes.c as one loop over the blocks.
#include <myr/myr.hpp>

#include "bddt/black_scholes/black_scholes.h"

void black_scholes_tasks(black_scholes* market) {
  using myr::each;
  using myr::part;
  const black_scholes all = *market;
  const myr::Region options(all.option_region);
  const myr::Region prices(all.price_region);
  myr::for_each(myr::Range{0, all.block_count},
                myr::in(each(all.options, all.block_count).inside(options), part),
                myr::out(each(all.prices, all.block_count).inside(prices), part),
                [=](std::size_t i) { price_block(all.options[i], all.prices[i], all.block_size); });
  myr::wait_all();
}
