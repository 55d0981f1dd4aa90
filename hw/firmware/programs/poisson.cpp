// SPDX-License-Identifier: Apache-2.0
//
// poisson of kernels/picos, which paper 4 calls jacobi: SIZE rows and columns in blocks of TASK
// rows, ROUNDS steps. The right-hand side is any that rounds.
#include "picos/poisson/poisson.h"

#include "frame.hpp"

extern "C" void poisson_run(poisson* grid);

extern "C" int firmware_main() {
  const frame::Blocks<double> even(SIZE / TASK, TASK * SIZE);
  const frame::Blocks<double> odd(SIZE / TASK, TASK * SIZE);
  const frame::Blocks<double> source(SIZE / TASK, TASK * SIZE);
  even.fill(0);
  odd.fill(0);
  for (size_t i = 0; i < SIZE * SIZE; ++i) {
    source.first[i / (TASK * SIZE)][i % (TASK * SIZE)] = 1.0 / static_cast<double>(i % 997 + 1);
  }
  poisson grid{SIZE / TASK, TASK, SIZE, ROUNDS, {even.first, odd.first}, source.first};
  frame::measure([&] { poisson_run(&grid); });
  frame::Digest digest;
  digest.add(even);
  digest.add(odd);
  digest.print();
  return 0;
}
