/* SPDX-License-Identifier: Apache-2.0
 *
 * A step on one block of rows.
 */
#include "common/wide.h"
#include "picos/poisson/poisson.h"

static const double kOutside[COLUMNS_MAX];

struct block_view view_block(const struct poisson* grid, size_t step, size_t block) {
  double** centre = grid->guesses[step % 2] + block;
  return (struct block_view){.above = block > 0 ? *(centre - 1) : NULL,
                             .centre = *centre,
                             .below = block + 1 < grid->block_count ? *(centre + 1) : NULL};
}

KERNEL_WIDE void relax_rows(struct block_view from, const double* restrict source,
                            double* restrict to, size_t rows, size_t columns) {
  const size_t last = columns - 1;
  const double* above = from.above != NULL ? from.above + (rows - 1) * columns : kOutside;
  const double* end = from.below != NULL ? from.below : kOutside;
  const double* row = from.centre;
  for (size_t i = 0; i < rows; ++i, source += columns, to += columns) {
    const double* below = i + 1 < rows ? row + columns : end;
    to[0] = 0.25 * ((above[0] + below[0]) + row[1]) + source[0];
    for (size_t j = 1; j < last; ++j) {
      to[j] = 0.25 * ((above[j] + below[j]) + (row[j - 1] + row[j + 1])) + source[j];
    }
    to[last] = 0.25 * ((above[last] + below[last]) + row[last - 1]) + source[last];
    above = row;
    row = below;
  }
}
