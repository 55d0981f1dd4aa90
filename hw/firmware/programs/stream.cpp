// SPDX-License-Identifier: Apache-2.0
//
// stream_deps and stream_barr of kernels/picos: SIZE numbers in blocks of TASK, ROUNDS rounds.
#include "picos/stream/stream.h"

#include "frame.hpp"

extern "C" void stream_run(stream* s);

extern "C" int firmware_main() {
  const frame::Blocks<double> a(SIZE / TASK, TASK);
  const frame::Blocks<double> b(SIZE / TASK, TASK);
  const frame::Blocks<double> c(SIZE / TASK, TASK);
  for (size_t i = 0; i < SIZE; ++i) {
    a.first[i / TASK][i % TASK] = 1 + static_cast<double>(i) * 0x1p-26;
  }
  b.fill(0);
  c.fill(0);
  stream s{SIZE / TASK, TASK, ROUNDS, BARRIERS, a.first, b.first, c.first};
  frame::measure([&] { stream_run(&s); });
  frame::Digest digest;
  digest.add(a);
  digest.add(b);
  digest.add(c);
  digest.print();
  return 0;
}
