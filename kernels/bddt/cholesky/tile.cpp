// SPDX-License-Identifier: Apache-2.0
//
// Every step walks over strips: as many rows as two vector registers hold. A strip's columns are
// copied side by side, and four columns of a product stay in registers until they are complete.
// Lanes are rows, so no sum changes its order. All steps are compiled for three widths of
// registers; the processor chooses.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bddt/cholesky/cholesky.h"
#include "chip/scc_costs.h"
#include "chip/work.h"
#include "common/openblas.hpp"

#define MYR_INLINE [[gnu::always_inline]] inline

namespace {

constexpr std::size_t kColumns =
    4;  // of a product at a time: eight sums hide the latency of an add

template <std::size_t Lanes>
struct Vector {
  using Type [[gnu::vector_size(Lanes * sizeof(double))]] = double;
};

template <class V>
struct Strip {
  static constexpr std::size_t kRows = 2 * sizeof(V) / sizeof(double);
  V column[TILE_SIDE_MAX][2];
};

template <class V>
struct Product {
  V column[kColumns][2];
};

// Copies the strip that begins at `rows`.
template <class V>
MYR_INLINE void load(Strip<V>& strip, const double* rows, std::size_t side) {
  for (std::size_t k = 0; k < side; ++k) {
    std::memcpy(strip.column[k], rows + k * side, sizeof strip.column[k]);
  }
}

// The strip's first `count` columns times the same columns of kColumns rows of B, from `b` on.
template <class V>
MYR_INLINE Product<V> multiply(const Strip<V>& a, const double* b, std::size_t count,
                               std::size_t side) {
  Product<V> product{};
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      product.column[j][0] += a.column[k][0] * b[k * side + j];
      product.column[j][1] += a.column[k][1] * b[k * side + j];
    }
  }
  return product;
}

// Subtracts a product from the part of a tile that begins at `target`.
template <class V>
MYR_INLINE void subtract(const Product<V>& product, double* target, std::size_t side) {
  for (std::size_t j = 0; j < kColumns; ++j) {
    V values[2];
    std::memcpy(values, target + j * side, sizeof values);
    values[0] -= product.column[j][0];
    values[1] -= product.column[j][1];
    std::memcpy(target + j * side, values, sizeof values);
  }
}

// C -= A B^T; with `lower`, only the strips' parts that reach below the diagonal.
template <class V>
MYR_INLINE void update_as(const double* a, const double* b, double* c, std::size_t side,
                          bool lower) {
  Strip<V> strip;
  for (std::size_t row = 0; row < side; row += strip.kRows) {
    load(strip, a + row, side);
    const std::size_t columns = lower ? row + strip.kRows : side;
    for (std::size_t column = 0; column < columns; column += kColumns) {
      subtract(multiply(strip, b + column, side, side), c + column * side + row, side);
    }
  }
}

// Solves X L^T = X' for the first `columns` columns of the strip at `x`; `strip` keeps them, too.
template <class V>
MYR_INLINE void solve_strip(Strip<V>& strip, const double* l, double* x, std::size_t columns,
                            std::size_t side) {
  for (std::size_t column = 0; column < columns; column += kColumns) {
    subtract(multiply(strip, l + column, column, side), x + column * side, side);
    for (std::size_t j = column; j < column + kColumns; ++j) {
      V values[2];
      std::memcpy(values, x + j * side, sizeof values);
      for (std::size_t k = column; k < j; ++k) {
        values[0] -= strip.column[k][0] * l[k * side + j];
        values[1] -= strip.column[k][1] * l[k * side + j];
      }
      strip.column[j][0] = values[0] / l[j * side + j];
      strip.column[j][1] = values[1] / l[j * side + j];
      std::memcpy(x + j * side, strip.column[j], sizeof strip.column[j]);
    }
  }
}

template <class V>
MYR_INLINE void solve_as(const double* l, double* x, std::size_t side) {
  Strip<V> strip;
  for (std::size_t row = 0; row < side; row += strip.kRows) {
    solve_strip(strip, l, x + row, side, side);
  }
}

// Factors a few rows and columns on the diagonal, from `first` on.
MYR_INLINE void factor_block(double* a, std::size_t first, std::size_t count, std::size_t side) {
  for (std::size_t j = first; j < first + count; ++j) {
    const double pivot = std::sqrt(a[j * side + j]);
    for (std::size_t i = j; i < first + count; ++i) a[j * side + i] /= pivot;
    a[j * side + j] = pivot;
    for (std::size_t k = j + 1; k < first + count; ++k) {
      for (std::size_t i = k; i < first + count; ++i) {
        a[k * side + i] -= a[j * side + i] * a[j * side + k];
      }
    }
  }
}

// Row strip by row strip: what is left of the diagonal follows from the strips above, then the
// diagonal.
template <class V>
MYR_INLINE void factor_as(double* a, std::size_t side) {
  Strip<V> strip;
  for (std::size_t row = 0; row < side; row += strip.kRows) {
    solve_strip(strip, a, a + row, row, side);
    for (std::size_t column = row; column < row + strip.kRows; column += kColumns) {
      subtract(multiply(strip, a + column, row, side), a + column * side + row, side);
    }
    factor_block(a, row, strip.kRows, side);
  }
}

enum class Step { Factor, Solve, UpdateDiagonal, Update };

struct Call {
  Step step;
  const double* a;
  const double* b;
  double* target;
  std::size_t side;
};

template <std::size_t Lanes>
MYR_INLINE void run_as(const Call& call) {
  using V = typename Vector<Lanes>::Type;
  switch (call.step) {
    case Step::Factor:
      return factor_as<V>(call.target, call.side);
    case Step::Solve:
      return solve_as<V>(call.a, call.target, call.side);
    case Step::UpdateDiagonal:
      return update_as<V>(call.a, call.a, call.target, call.side, true);
    case Step::Update:
      return update_as<V>(call.a, call.b, call.target, call.side, false);
  }
}

using Runner = void (*)(const Call&);

void run_plain(const Call& call) { run_as<2>(call); }

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void run_avx2(const Call& call) { run_as<4>(call); }
[[gnu::target("avx512f")]] void run_avx512(const Call& call) { run_as<8>(call); }

Runner choose_runner() {
  if (__builtin_cpu_supports("avx512f")) return run_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return run_avx2;
  return run_plain;
}
#else
Runner choose_runner() { return run_plain; }
#endif

void run_openblas(const Call& call) {
  using namespace kernels;
  const OpenBlas& blas = *load_openblas();
  const int n = static_cast<int>(call.side);
  int info = 0;
  switch (call.step) {
    case Step::Factor:
      return blas.dpotrf("L", &n, call.target, &n, &info);
    case Step::Solve:
      return blas.dtrsm(kByColumns, kRight, kLower, kTransposed, kNotUnit, n, n, 1, call.a, n,
                        call.target, n);
    case Step::UpdateDiagonal:
      return blas.dsyrk(kByColumns, kLower, kNotTransposed, n, n, -1, call.a, n, 1, call.target, n);
    case Step::Update:
      return blas.dgemm(kByColumns, kNotTransposed, kTransposed, n, n, n, -1, call.a, n, call.b, n,
                        1, call.target, n);
  }
}

Runner run = choose_runner();

// What the products of two tiles take on a simulated chip; the other steps have a part of them.
std::uint64_t products(std::size_t side) { return side * side * side * SCC_MULTIPLY_ADD; }

}  // namespace

void factor_tile(double* a, std::size_t side) {
  run({.step = Step::Factor, .a = nullptr, .b = nullptr, .target = a, .side = side});
  kernel_work(products(side) / 6);
}

void solve_tile(const double* l, double* x, std::size_t side) {
  run({.step = Step::Solve, .a = l, .b = nullptr, .target = x, .side = side});
  kernel_work(products(side) / 2);
}

void update_diagonal(const double* a, double* c, std::size_t side) {
  run({.step = Step::UpdateDiagonal, .a = a, .b = nullptr, .target = c, .side = side});
  kernel_work(products(side) / 2);
}

void update_tile(const double* a, const double* b, double* c, std::size_t side) {
  run({.step = Step::Update, .a = a, .b = b, .target = c, .side = side});
  kernel_work(products(side));
}

bool factor_by_openblas() {
  if (kernels::load_openblas() == nullptr) return false;
  run = run_openblas;
  return true;
}
