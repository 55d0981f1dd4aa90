// SPDX-License-Identifier: Apache-2.0
//
// poisson of kernels/picos, which paper 4 calls jacobi: SIZE rows in blocks of TASK rows, ROUNDS
// steps; DEPS columns, or as many as rows if that is 0. The right-hand side is any that rounds.
#include "picos/poisson/poisson.h"

#include "frame.hpp"

extern "C" void poisson_run(poisson* grid);

extern "C" int firmware_main() {
  constexpr size_t kColumns = DEPS == 0 ? SIZE : DEPS;
  constexpr size_t kBlock = TASK * kColumns;  // numbers of a block
  const frame::Blocks<double> even(SIZE / TASK, kBlock);
  const frame::Blocks<double> odd(SIZE / TASK, kBlock);
  const frame::Blocks<double> source(SIZE / TASK, kBlock);
  even.fill(0);
  odd.fill(0);
  for (size_t i = 0; i < SIZE * kColumns; ++i) {
    source.first[i / kBlock][i % kBlock] = 1.0 / static_cast<double>(i % 997 + 1);
  }
  poisson grid{SIZE / TASK, TASK, kColumns, ROUNDS, {even.first, odd.first}, source.first};
  frame::measure([&] { poisson_run(&grid); });
  frame::Digest digest;
  digest.add(even);
  digest.add(odd);
  digest.print();
  return 0;
}
