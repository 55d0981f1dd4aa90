// SPDX-License-Identifier: Apache-2.0
// Arrays with blocks of their own, of which tasks name tiles.
#include <myr/myr.h>
#include <stdio.h>

enum { kSide = 64, kTile = 16 };

//: tiles_of_an_array_with_blocks
void tiles_of_an_array_with_blocks(void) {
  // A block is a row of a tile.
  int(*m)[kSide] = (int(*)[kSide])myr_alloc_blocks(sizeof(int[kSide][kSide]), 64, MYR_ROOT);
  for (int n = 0; n < kSide * kSide; ++n) m[n / kSide][n % kSide] = n;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kSide; i += kTile) {
      for (int j = 0; j < kSide; j += kTile) {
#pragma omp task inout(m[i;kTile][j;kTile])
        for (int n = 0; n < kTile * kTile; ++n) m[i + n / kTile][j + n % kTile] += round + i;
      }
    }
  }
  int sum = 0;
#pragma omp task in(m[0;kSide][0;kSide]) out(sum)
  for (int n = 0; n < kSide * kSide; ++n) sum += m[n / kSide][n % kSide];
#pragma omp taskwait
  printf("%d %d\n", sum, m[17][3]);
  myr_free(m);
}
//= 8693760 1142
