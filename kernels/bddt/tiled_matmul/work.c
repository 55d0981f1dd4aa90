/* SPDX-License-Identifier: Apache-2.0
 *
 * What a task does.
 */
#include "chip/work.h"

#include "bddt/tiled_matmul/tiled_matmul.h"
#include "chip/scc_costs.h"

void multiply_tiles(const float* a, const float* b, float* c, size_t side) {
  multiply_tile(a, b, c, side);
  kernel_work(side * side * side * SCC_MULTIPLY_ADD);
}
