// SPDX-License-Identifier: Apache-2.0
//
// What sum.cpp does, with pragmas: compiled by an installed myrcc.
#include <cstdio>
#include <numeric>
#include <vector>

#pragma omp task out(numbers)
static void fill(std::vector<long>& numbers, int factor) {
  for (long i = 0; i < 1000; ++i) numbers.push_back(i * factor);
}

int main() {
  std::vector<std::vector<long>> blocks(16);
  long sum = 0;
  for (int block = 0; block < 16; ++block) {
    fill(blocks[block], block + 1);
#pragma omp task in(blocks[block])inout(sum)
    sum = std::accumulate(blocks[block].begin(), blocks[block].end(), sum);
  }
#pragma omp taskwait
  std::printf("sum %ld\n", sum);
}
