// SPDX-License-Identifier: Apache-2.0
//
// A program of SIZE random tasks on TASK cells, made from seed ROUNDS.
#include "random.h"

#include "common/random.hpp"
#include "frame.hpp"

namespace {

constexpr uint64_t kWaitOneIn = 50;
static_assert(TASK >= RANDOM_READS + RANDOM_WRITES);

cell* cells[TASK];

// A cell that is not among the first `used` of `cells`, which are taken; becomes the next of them.
cell* take_cell(kernels::Random& random, size_t& used) {
  const size_t place = used + random.next() % (TASK - used);
  cell* const taken = cells[place];
  cells[place] = cells[used];
  cells[used++] = taken;
  return taken;
}

random_task make_task(kernels::Random& random, uint64_t number) {
  random_task task{};
  size_t used = 0;
  for (const cell*& read : task.reads) {
    if (random.next() % 2 == 0) read = take_cell(random, used);
  }
  for (cell*& write : task.writes) {
    if (random.next() % 2 == 0) write = take_cell(random, used);
  }
  task.number = number;
  task.wait_after = random.next() % kWaitOneIn == 0 ? 1 : 0;
  return task;
}

}  // namespace

extern "C" int firmware_main() {
  const frame::Blocks<cell> blocks(TASK, 1);
  for (size_t i = 0; i < TASK; ++i) {
    cells[i] = blocks.first[i];
    cells[i]->value = i;
  }
  kernels::Random random(kernels::scramble(ROUNDS));
  auto* const tasks = static_cast<random_task*>(allocate(SIZE * sizeof(random_task)));
  for (size_t i = 0; i < SIZE; ++i) tasks[i] = make_task(random, i);
  const random_program program{SIZE, tasks};
  frame::measure([&] { random_run(&program); });
  frame::Digest digest;
  for (size_t i = 0; i < TASK; ++i) digest.add_bits(blocks.first[i]->value);
  digest.print();
  return 0;
}
