// SPDX-License-Identifier: Apache-2.0
//
// The product of two tiles: a few rows and columns of C at a time stay in vector registers.
#include "methods/tiles/multiply.h"

#include <cstddef>

#include "common/openblas.hpp"
#include "common/wide.h"

namespace {

constexpr std::size_t kRows = 4;  // times two vectors: eight sums hide the latency of an add

using Lanes [[gnu::vector_size(32), gnu::may_alias]] = float;
constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(float);
static_assert(TILE_STEP % kRows == 0 && TILE_STEP % (2 * kLanes) == 0);

KERNEL_WIDE void multiply(const float* a, const float* b, float* c, std::size_t side) {
  for (std::size_t i = 0; i < side; i += kRows) {
    for (std::size_t j = 0; j < side; j += 2 * kLanes) {
      Lanes sum[kRows][2] = {};
      for (std::size_t k = 0; k < side; ++k) {
        const auto* right = reinterpret_cast<const Lanes*>(b + k * side + j);
        for (std::size_t row = 0; row < kRows; ++row) {
          const float left = a[(i + row) * side + k];
          sum[row][0] += left * right[0];
          sum[row][1] += left * right[1];
        }
      }
      for (std::size_t row = 0; row < kRows; ++row) {
        auto* target = reinterpret_cast<Lanes*>(c + (i + row) * side + j);
        target[0] += sum[row][0];
        target[1] += sum[row][1];
      }
    }
  }
}

// By columns these tiles are the transposed ones, and C^T += B^T A^T.
void multiply_openblas(const float* a, const float* b, float* c, std::size_t side) {
  using namespace kernels;
  const int n = static_cast<int>(side);
  load_openblas()->sgemm(kByColumns, kNotTransposed, kNotTransposed, n, n, n, 1, b, n, a, n, 1, c,
                         n);
}

bool uses_openblas = false;

}  // namespace

void multiply_tile(const float* a, const float* b, float* c, std::size_t side) {
  if (uses_openblas) {
    multiply_openblas(a, b, c, side);
  } else {
    multiply(a, b, c, side);
  }
}

bool multiply_by_openblas() {
  uses_openblas = kernels::load_openblas() != nullptr;
  return uses_openblas;
}
