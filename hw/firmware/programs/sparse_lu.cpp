// SPDX-License-Identifier: Apache-2.0
//
// sparse_lu of kernels/picos: SIZE blocks in a row of blocks, of TASK rows each.
#include "picos/sparse_lu/sparse_lu.h"

#include "common/random.hpp"
#include "frame.hpp"

extern "C" void sparse_lu_run(sparse_lu* m);

namespace {

// Is the block of the input in use? The pattern is that of the BOTS benchmark.
bool in_input(size_t row, size_t column) {
  const size_t low = row < column ? row : column;
  const size_t high = row < column ? column : row;
  return high - low <= 1 || (row % 2 == 0 && column % 2 == 0 && low % 3 == 0);
}

bool used[SIZE][SIZE];  // is the block in use in the factors?

void find_used() {
  for (size_t i = 0; i < SIZE; ++i) {
    for (size_t j = 0; j < SIZE; ++j) used[i][j] = in_input(i, j);
  }
  for (size_t k = 0; k < SIZE; ++k) {
    for (size_t i = k + 1; i < SIZE; ++i) {
      for (size_t j = k + 1; used[i][k] && j < SIZE; ++j) {
        if (used[k][j]) used[i][j] = true;
      }
    }
  }
}

// Random numbers, with a diagonal that outweighs the rest of its row.
void fill(double* block, size_t i, size_t j) {
  constexpr uint64_t kSeed = 29;
  if (!in_input(i, j)) return;
  kernels::Random random(kernels::scramble(kSeed + i * SIZE + j));
  for (size_t k = 0; k < TASK * TASK; ++k) block[k] = 2 * random.uniform() - 1;
  if (i != j) return;
  for (size_t k = 0; k < TASK; ++k) block[k * TASK + k] += 8 * TASK;
}

}  // namespace

extern "C" int firmware_main() {
  find_used();
  size_t count = 0;
  for (auto& row : used) {
    for (const bool block : row) count += block ? 1 : 0;
  }
  const frame::Blocks<double> blocks(count, TASK * TASK);
  blocks.fill(0);
  auto** const table = static_cast<double**>(allocate(SIZE * SIZE * sizeof(double*)));
  size_t next = 0;
  for (size_t i = 0; i < SIZE * SIZE; ++i) {
    table[i] = used[i / SIZE][i % SIZE] ? blocks.first[next++] : nullptr;
    if (table[i] != nullptr) fill(table[i], i / SIZE, i % SIZE);
  }
  sparse_lu m{SIZE, TASK, blocks.elements, table};
  frame::measure([&] { sparse_lu_run(&m); });
  frame::Digest digest;
  digest.add(blocks);
  digest.print();
  return 0;
}
