// SPDX-License-Identifier: Apache-2.0
//
// task_free and task_chain of kernels/picos: SIZE tasks with DEPS dependences and TASK rounds each.
#include "frame.hpp"
#include "picos/tasks/words.h"

extern "C" void words_run(words* all);

extern "C" int firmware_main() {
  const size_t count = CHAIN ? DEPS : SIZE * (DEPS == 0 ? 1 : DEPS);
  const frame::Blocks<word> blocks(count, 1);
  for (size_t i = 0; i < count; ++i) blocks.first[i]->value = i;
  words all{SIZE, DEPS, CHAIN ? 0 : DEPS == 0 ? 1 : DEPS, TASK, blocks.first};
  frame::measure([&] { words_run(&all); });
  frame::Digest digest;
  for (size_t i = 0; i < count; ++i) digest.add_bits(blocks.first[i]->value);
  digest.print();
  return 0;
}
