// SPDX-License-Identifier: Apache-2.0
//
// stream.c as four loops over the blocks.
#include <myr/myr.hpp>

#include "picos/stream/stream.h"

namespace {

using myr::each;
using myr::part;
using myr::Range;

// What the program with barriers has after each step.
void end_step(const stream& s) {
  if (s.barriers != 0) myr::wait_all();
}

void run_round(const stream& s) {
  const std::size_t blocks = s.block_count;
  const auto a = each(s.a, blocks), b = each(s.b, blocks), c = each(s.c, blocks);
  myr::for_each(Range{0, blocks}, in(a, part), out(c, part),
                [s](std::size_t i) { copy_block(s.a[i], s.c[i], s.block_size); });
  end_step(s);
  myr::for_each(Range{0, blocks}, in(c, part), out(b, part),
                [s](std::size_t i) { scale_block(s.c[i], s.b[i], s.block_size); });
  end_step(s);
  myr::for_each(Range{0, blocks}, in(a, part), in(b, part), out(c, part),
                [s](std::size_t i) { add_blocks(s.a[i], s.b[i], s.c[i], s.block_size); });
  end_step(s);
  myr::for_each(Range{0, blocks}, in(b, part), in(c, part), out(a, part),
                [s](std::size_t i) { triad_blocks(s.b[i], s.c[i], s.a[i], s.block_size); });
  end_step(s);
}

}  // namespace

void stream_tasks(stream* s) {
  for (std::size_t round = 0; round < s->rounds; ++round) run_round(*s);
  myr::wait_all();
}
