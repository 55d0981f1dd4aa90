// SPDX-License-Identifier: Apache-2.0
//
// fft2d.c as three loops over panels. A second matrix takes the transposed one, so an iteration
// writes one panel only, and transforms it while it is in the cache.
#include <myr/myr.hpp>

#include "bddt/fft2d/fft2d.h"
#include "common/blocks.hpp"

namespace {

using Panels = complex_number**;

// Panel i of `to` becomes that of the transposed matrix.
void gather(Panels from, Panels to, std::size_t i, const fft2d& f) {
  const std::size_t area = f.side * f.side;
  for (std::size_t j = 0; j < f.tile_count; ++j) {
    transpose_tile(from[j] + i * area, to[i] + j * area, f.side);
  }
}

}  // namespace

void fft2d_tasks(fft2d* program) {
  using myr::each;
  using myr::part;
  const fft2d f = *program;
  const std::size_t n = f.tile_count;
  using Matrix = kernels::Blocks<complex_number>;
  Matrix second(n, n * f.side * f.side, Matrix::Contents::Undefined);
  const myr::Region of_rows(f.region);
  const Panels rows = f.panels;
  const Panels columns = second.data();
  const myr::Range all{0, n};
  myr::for_each(all, myr::inout(each(rows, n), part),
                [=](std::size_t i) { transform_rows(rows[i], f.side, f.plan); });
  myr::for_each(all, myr::in(of_rows), myr::out(each(columns, n), part), [=](std::size_t i) {
    gather(rows, columns, i, f);
    transform_rows(columns[i], f.side, f.plan);
  });
  myr::for_each(all, myr::in(second.region()), myr::out(each(rows, n), part),
                [=](std::size_t i) { gather(columns, rows, i, f); });
  myr::wait_all();
}
