// SPDX-License-Identifier: Apache-2.0
//
// The steps of a tiled Cholesky factorisation, each on one to three square tiles of `side` x
// `side` numbers, stored by columns. A step gives the same bits whenever it is called with the
// same numbers. REQUIRES: `side` is a multiple of kSideStep, at most kSideMax. Thread: any.
#pragma once

#include <cstddef>

namespace cholesky {

inline constexpr std::size_t kSideStep = 16;
inline constexpr std::size_t kSideMax = 512;

// A tile on the diagonal: A becomes L with L L^T = A; what is above the diagonal loses its meaning.
void factor(double* a, std::size_t side);
// A tile below a factored one: X becomes X L^-T.
void solve(const double* l, double* x, std::size_t side);
// A tile on the diagonal: C -= A A^T, on and below the diagonal.
void update_diagonal(const double* a, double* c, std::size_t side);
// Any other tile: C -= A B^T.
void update(const double* a, const double* b, double* c, std::size_t side);

}  // namespace cholesky
