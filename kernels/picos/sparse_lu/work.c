/* SPDX-License-Identifier: Apache-2.0
 *
 * The four steps of the factorisation on a block.
 */
#include "common/wide.h"
#include "picos/sparse_lu/sparse_lu.h"

/* One row less a multiple of another. */
static inline void subtract_row(double* restrict row, const double* restrict other, double factor,
                                size_t count) {
  for (size_t i = 0; i < count; ++i) row[i] -= factor * other[i];
}

KERNEL_WIDE void factor_block(double* a, size_t side) {
  for (size_t k = 0; k < side; ++k) {
    const double* pivot_row = a + k * side;
    for (size_t i = k + 1; i < side; ++i) {
      double* row = a + i * side;
      row[k] /= pivot_row[k];
      subtract_row(row + k + 1, pivot_row + k + 1, row[k], side - k - 1);
    }
  }
}

KERNEL_WIDE void solve_lower(const double* factors, double* x, size_t side) {
  for (size_t i = 1; i < side; ++i) {
    for (size_t k = 0; k < i; ++k) {
      subtract_row(x + i * side, x + k * side, factors[i * side + k], side);
    }
  }
}

KERNEL_WIDE void solve_upper(const double* factors, double* x, size_t side) {
  for (size_t i = 0; i < side; ++i) {
    double* row = x + i * side;
    for (size_t k = 0; k < side; ++k) {
      const double* pivot_row = factors + k * side;
      row[k] /= pivot_row[k];
      subtract_row(row + k + 1, pivot_row + k + 1, row[k], side - k - 1);
    }
  }
}

KERNEL_WIDE void update_block(const double* a, const double* b, double* c, size_t side) {
  for (size_t i = 0; i < side; ++i) {
    for (size_t k = 0; k < side; ++k) {
      subtract_row(c + i * side, b + k * side, a[i * side + k], side);
    }
  }
}
