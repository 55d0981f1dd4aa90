// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms of rows, and transposing tiles. A transform is the one of Cooley and Tukey,
// decimated in time: the row is copied into the order of reversed bits, then halves are joined,
// shorter ones first. Four rows go side by side, a lane of the vector registers each.
#include "chip/work.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "bddt/fft2d/fft2d.h"
#include "chip/scc_costs.h"
#include "common/wide.h"

namespace {

struct alignas(FFT_LANES * sizeof(double)) Lanes {
  using Vector [[gnu::vector_size(FFT_LANES * sizeof(double))]] = double;
  Vector re;
  Vector im;
};

}  // namespace

struct fft_plan {
  std::size_t length;
  std::vector<complex_number> roots;   // of unity: the first half of the circle, clockwise
  std::vector<std::size_t> positions;  // of the numbers of a row, in the order of reversed bits
};

fft_plan* fft_plan_new(size_t length) {
  auto plan = std::make_unique<fft_plan>();
  plan->length = length;
  for (std::size_t k = 0; k < length / 2; ++k) {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
    plan->roots.push_back({std::cos(angle), std::sin(angle)});
  }
  plan->positions = {0};
  for (std::size_t step = length / 2; step > 0; step /= 2) {
    const std::size_t known = plan->positions.size();
    for (std::size_t i = 0; i < known; ++i) plan->positions.push_back(plan->positions[i] + step);
  }
  return plan.release();
}

void fft_plan_free(fft_plan* plan) { delete plan; }

namespace {

// Both ways between FFT_LANES rows of the panel and `row`: the rows' numbers lie tile by tile, a
// tile's rows `side` numbers apart.
[[gnu::always_inline]] inline void gather(Lanes* row, const complex_number* panel, std::size_t side,
                                          const fft_plan& plan) {
  const std::size_t* position = plan.positions.data();
  for (std::size_t first = 0; first < plan.length; first += side, panel += side * side) {
    for (std::size_t k = 0; k < side; ++k) {
      Lanes& to = row[*position++];
      for (std::size_t lane = 0; lane < FFT_LANES; ++lane) {
        to.re[lane] = panel[lane * side + k].re;
        to.im[lane] = panel[lane * side + k].im;
      }
    }
  }
}
[[gnu::always_inline]] inline void scatter(const Lanes* row, complex_number* panel,
                                           std::size_t side, const fft_plan& plan) {
  for (std::size_t first = 0; first < plan.length; first += side, panel += side * side) {
    for (std::size_t k = 0; k < side; ++k, ++row) {
      for (std::size_t lane = 0; lane < FFT_LANES; ++lane) {
        panel[lane * side + k] = {row->re[lane], row->im[lane]};
      }
    }
  }
}

// (a, b) becomes (a + root b, a - root b).
[[gnu::always_inline]] inline void join(Lanes& a, Lanes& b, complex_number root) {
  const Lanes::Vector re = b.re * root.re - b.im * root.im;
  const Lanes::Vector im = b.re * root.im + b.im * root.re;
  b = {a.re - re, a.im - im};
  a = {a.re + re, a.im + im};
}

// Joins four transforms of `quarter` numbers each, side by side, into one: two steps at once, while
// the numbers are in registers.
[[gnu::always_inline]] inline void join_quarters(Lanes* row, std::size_t quarter,
                                                 const fft_plan& plan) {
  const std::size_t step = plan.length / (4 * quarter);
  for (std::size_t k = 0; k < quarter; ++k) {
    Lanes& a = row[k];
    Lanes& b = row[k + quarter];
    Lanes& c = row[k + 2 * quarter];
    Lanes& d = row[k + 3 * quarter];
    const complex_number first = plan.roots[2 * k * step];
    join(a, b, first);
    join(c, d, first);
    join(a, c, plan.roots[k * step]);
    join(b, d, plan.roots[(k + quarter) * step]);
  }
}

[[gnu::always_inline]] inline void transform(Lanes* row, const fft_plan& plan) {
  const std::size_t length = plan.length;
  std::size_t done = 1;
  for (; done * 4 <= length; done *= 4) {
    for (std::size_t k = 0; k < length; k += 4 * done) join_quarters(row + k, done, plan);
  }
  if (done == length) return;
  for (std::size_t k = 0; k < done; ++k) join(row[k], row[k + done], plan.roots[k]);
}

}  // namespace

KERNEL_WIDE void transform_rows(complex_number* panel, size_t side, const fft_plan* plan) {
  thread_local std::vector<Lanes> row;
  row.resize(plan->length);
  for (std::size_t first = 0; first < side; first += FFT_LANES) {
    complex_number* rows = panel + first * side;
    gather(row.data(), rows, side, *plan);
    transform(row.data(), *plan);
    scatter(row.data(), rows, side, *plan);
    // Touches these rows of each tile; what is read is in the cache when it is written.
    const std::size_t bytes = FFT_LANES * side * sizeof(complex_number);
    kernel_touch(rows, bytes, plan->length / side, side * side * sizeof(complex_number), MYR_INOUT);
  }
  const std::size_t steps = static_cast<std::size_t>(std::bit_width(plan->length)) - 1;
  kernel_work(side * plan->length / 2 * steps * SCC_BUTTERFLY);
}

namespace {

void touch_tile(const complex_number* tile, std::size_t side, unsigned mode) {
  kernel_touch(tile, side * side * sizeof(complex_number), 1, 0, mode);
}

}  // namespace

KERNEL_WIDE void swap_tiles(complex_number* a, complex_number* b, size_t side) {
  for (std::size_t row = 0; row < side; ++row) {
    const std::size_t columns = a == b ? row : side;
    for (std::size_t column = 0; column < columns; ++column) {
      std::swap(a[row * side + column], b[column * side + row]);
    }
  }
  kernel_work(side * side * SCC_SWAP);
  touch_tile(a, side, MYR_INOUT);
  if (a != b) touch_tile(b, side, MYR_INOUT);
}

KERNEL_WIDE void transpose_tile(const complex_number* from, complex_number* to, size_t side) {
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t column = 0; column < side; ++column) {
      to[row * side + column] = from[column * side + row];
    }
  }
  kernel_work(side * side * SCC_COPY);
  touch_tile(from, side, MYR_IN);
  touch_tile(to, side, MYR_OUT);
}
