/* SPDX-License-Identifier: Apache-2.0
 *
 * The Fourier transform of a square matrix: of its rows, then of its columns by transposing it; see
 * README.md. The program with tasks is fft2d.c, with OpenMP's tasks openmp.c; what a task does is
 * in work.cpp.
 */
#ifndef FFT2D_H
#define FFT2D_H

#include <myr/myr.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct complex_number {
  double re;
  double im;
};

/* The rows are cut into panels of as many rows as a tile has, and a panel into tiles that lie side
 * by side; so both kinds of task work on memory without gaps. */
struct fft2d {
  size_t tile_count; /* in a panel */
  size_t side;       /* of a tile, a multiple of FFT_LANES */
  struct complex_number** panels;
  myr_region region; /* where they lie */
  const struct fft_plan* plan;
};

enum { FFT_LANES = 4 }; /* rows that are transformed at once */

/* What the transforms of one length need: made by work.cpp. */
struct fft_plan;
struct fft_plan* fft_plan_new(size_t length); /* a power of two, at least 4 */
void fft_plan_free(struct fft_plan* plan);

/* The transform of each row of a panel, in place. */
void transform_rows(struct complex_number* panel, size_t side, const struct fft_plan* plan);
/* Transposes two tiles and swaps them; they may be one and the same. */
void swap_tiles(struct complex_number* a, struct complex_number* b, size_t side);
/* `to` becomes the transposed of another tile. */
void transpose_tile(const struct complex_number* from, struct complex_number* to, size_t side);

void fft2d_serial(struct fft2d* f);
void fft2d_tasks(struct fft2d* f);

#ifdef __cplusplus
}
#endif
#endif
