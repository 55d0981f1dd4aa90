/* SPDX-License-Identifier: Apache-2.0
 *
 * The product of two matrices after Strassen, down to leaves of 16 rows, each sum a task. The core
 * computes no fractions in hardware, and the numbers are whole: compiled with -Dfloat=int16_t. */
#include "hwse/strassen/strassen.h"

#include <stdint.h>

#include "application.h"
#include "methods/tiles/multiply.h"

enum { LEAF = TILE_STEP, SIDE = 2 * LEAF, NUMBERS = SIDE * SIDE };
static struct strassen program;

static void run(void) { strassen_tasks(&program); }

void multiply_tile(const float* a, const float* b, float* c, size_t side) {
  for (size_t i = 0; i < side; ++i) {
    for (size_t j = 0; j < side; ++j) {
      int sum = c[i * side + j];
      for (size_t k = 0; k < side; ++k) sum += a[i * side + k] * b[k * side + j];
      c[i * side + j] = (float)sum;
    }
  }
}

static float* new_matrix(uint32_t seed) {
  float* const matrix = new_zeros(NUMBERS * sizeof(float));
  for (size_t i = 0; seed != 0 && i < NUMBERS; ++i) {
    seed = seed * 1664525 + 1013904223;
    matrix[i] = (float)((seed >> 20) % 7) - 3;
  }
  return matrix;
}

int main(void) {
  program = (struct strassen){
      .side = SIDE,
      .leaf = LEAF,
      .loops = LOOPS,
      .a = new_matrix(1969),
      .b = new_matrix(1970),
      .c = new_matrix(0),
  };
  run_timed(run);
  report("product", digest(program.c, NUMBERS * sizeof(float)));
  return 0;
}
