// SPDX-License-Identifier: Apache-2.0
//
// stream.c as loops over the blocks: with barriers four of them a round, without only one, since a
// block depends on no other.
#include <myr/myr.hpp>

#include "picos/stream/stream.h"

namespace {

using myr::each;
using myr::part;
using myr::Range;

void run_round(const stream& s) {
  const Range blocks{0, s.block_count};
  myr::for_each(blocks, [s](std::size_t i) { copy_block(s.a[i], s.c[i], s.block_size); });
  myr::wait_all();
  myr::for_each(blocks, [s](std::size_t i) { scale_block(s.c[i], s.b[i], s.block_size); });
  myr::wait_all();
  myr::for_each(blocks, [s](std::size_t i) { add_blocks(s.a[i], s.b[i], s.c[i], s.block_size); });
  myr::wait_all();
  myr::for_each(blocks, [s](std::size_t i) { triad_blocks(s.b[i], s.c[i], s.a[i], s.block_size); });
  myr::wait_all();
}

void run_block(const stream& s, std::size_t i) {
  const std::size_t size = s.block_size;
  for (std::size_t round = 0; round < s.rounds; ++round) {
    copy_block(s.a[i], s.c[i], size);
    scale_block(s.c[i], s.b[i], size);
    add_blocks(s.a[i], s.b[i], s.c[i], size);
    triad_blocks(s.b[i], s.c[i], s.a[i], size);
  }
}

void run_blocks(const stream& s) {
  const std::size_t count = s.block_count;
  myr::for_each(Range{0, count}, myr::inout(each(s.a, count), part),
                myr::out(each(s.b, count), part), myr::out(each(s.c, count), part),
                [s](std::size_t i) { run_block(s, i); });
}

}  // namespace

void stream_tasks(stream* s) {
  if (s->barriers == 0) run_blocks(*s);
  for (std::size_t round = 0; s->barriers != 0 && round < s->rounds; ++round) run_round(*s);
  myr::wait_all();
}
