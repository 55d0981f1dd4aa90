// SPDX-License-Identifier: Apache-2.0
//
// task_free and task_chain of kernels/picos: SIZE tasks with DEPS dependences and TASK rounds each.
// The words are part of the program's image, since filling them would take most of a simulation.
#include "frame.hpp"
#include "picos/tasks/words.h"

extern "C" void words_run(words* all);

namespace {

constexpr size_t kStep = CHAIN ? 0 : DEPS == 0 ? 1 : DEPS;  // from a task's words to the next one's
constexpr size_t kCount = CHAIN ? DEPS : SIZE * kStep;

struct Table {
  alignas(64) word values[kCount];
  alignas(64) word* first[kCount];
  constexpr Table() : values{}, first{} {
    for (size_t i = 0; i < kCount; ++i) {
      values[i].value = i;
      first[i] = values + i;
    }
  }
};
constinit Table table;

}  // namespace

extern "C" int firmware_main() {
  words all{SIZE, DEPS, kStep, TASK, table.first};
  frame::measure([&] { words_run(&all); });
  frame::Digest digest;
  for (size_t i = 0; i < kCount; i += kStep == 0 ? 1 : kStep)
    digest.add_bits(table.values[i].value);
  digest.print();
  return 0;
}
