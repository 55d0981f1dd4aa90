/* SPDX-License-Identifier: Apache-2.0
 *
 * What a task does.
 */
#include "chip/work.h"

#include "bddt/tiled_matmul/tiled_matmul.h"
#include "chip/scc_costs.h"

void multiply_tiles(const float* a, const float* b, float* c, size_t side) {
  multiply_tile(a, b, c, side);
  const size_t bytes = side * side * sizeof(float);
  kernel_touch(a, bytes, 1, 0, MYR_IN);
  kernel_touch(b, bytes, 1, 0, MYR_IN);
  kernel_touch(c, bytes, 1, 0, MYR_INOUT);
  kernel_work(side * side * side * SCC_MULTIPLY_ADD);
}
