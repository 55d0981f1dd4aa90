/* SPDX-License-Identifier: Apache-2.0
 *
 * The inverse cosine transform of Loeffler, Ligtenberg and Moschytz ("Practical fast 1-D DCT
 * algorithms with 11 multiplications", 1989) in integers, with the precision and rounding of
 * libjpeg's method "islow": all sums are exact, and only the end of each pass rounds. So its
 * samples are libjpeg's, bit for bit.
 *
 * The eight columns of a block, then its eight lines, are the lanes of a vector; on a processor
 * without vectors, one lane is done after the other. A broken file can hold coefficients of any
 * size, so the sums are unsigned: they may wrap.
 */
#include "hwse/jpeg/idct.h"

#include <string.h>

#include "common/wide.h"

enum {
  CONSTANT_BITS = 13, /* behind the binary point of the constants */
  PASS_BITS = 2       /* more precision between the passes */
};

#define FIX(x) ((uint32_t)((x) * (1 << CONSTANT_BITS) + 0.5))
#define INLINE static inline __attribute__((always_inline))

#ifdef __riscv
typedef uint32_t lanes;
typedef int32_t signed_lanes;
#else
typedef uint32_t lanes __attribute__((vector_size(JPEG_SIDE * sizeof(uint32_t))));
typedef int32_t signed_lanes __attribute__((vector_size(JPEG_SIDE * sizeof(int32_t))));
typedef int16_t narrow_lanes __attribute__((vector_size(JPEG_SIDE * sizeof(int16_t))));
typedef uint16_t quant_lanes __attribute__((vector_size(JPEG_SIDE * sizeof(uint16_t))));
#endif

/* *result = x / 2^bits, rounded. */
INLINE void descale(const lanes* x, unsigned bits, lanes* result) {
  *result = (lanes)((signed_lanes)(*x + (1u << (bits - 1))) >> (int)bits);
}

/* The 1-D transform of each lane, scaled down by 2^bits. */
INLINE void pass(lanes x[JPEG_SIDE], unsigned bits) {
  const lanes rotated = (x[2] + x[6]) * FIX(0.541196100);
  const lanes low = rotated - x[6] * FIX(1.847759065);
  const lanes high = rotated + x[2] * FIX(0.765366865);
  const lanes sum = (x[0] + x[4]) << CONSTANT_BITS;
  const lanes difference = (x[0] - x[4]) << CONSTANT_BITS;
  const lanes even[4] = {sum + high, difference + low, difference - low, sum - high};

  const lanes all = (x[1] + x[3] + x[5] + x[7]) * FIX(1.175875602);
  const lanes outer = (x[1] + x[7]) * FIX(0.899976223);
  const lanes inner = (x[3] + x[5]) * FIX(2.562915447);
  const lanes upper = all - (x[3] + x[7]) * FIX(1.961570560);
  const lanes lower = all - (x[1] + x[5]) * FIX(0.390180644);
  const lanes odd[4] = {
      x[1] * FIX(1.501321110) - outer + lower, x[3] * FIX(3.072711026) - inner + upper,
      x[5] * FIX(2.053119869) - inner + lower, x[7] * FIX(0.298631336) - outer + upper};

  for (unsigned k = 0; k < 4; ++k) {
    const lanes first = even[k] + odd[k];
    const lanes second = even[k] - odd[k];
    descale(&first, bits, &x[k]);
    descale(&second, bits, &x[JPEG_SIDE - 1 - k]);
  }
}

INLINE void store_line(const int32_t* line, uint8_t* samples) {
  for (unsigned j = 0; j < JPEG_SIDE; ++j) {
    const int32_t sample = line[j] + 128;
    samples[j] = (uint8_t)(sample < 0 ? 0 : sample > 255 ? 255 : sample);
  }
}

#ifdef __riscv
INLINE void transform(const int16_t* coefs, const uint16_t* quant, uint8_t* samples,
                      size_t stride) {
  int32_t block[JPEG_BLOCK];
  lanes x[JPEG_SIDE];
  for (unsigned column = 0; column < JPEG_SIDE; ++column) {
    for (unsigned i = 0; i < JPEG_SIDE; ++i) {
      const unsigned at = i * JPEG_SIDE + column;
      x[i] = (lanes)coefs[at] * quant[at];
    }
    pass(x, CONSTANT_BITS - PASS_BITS);
    for (unsigned i = 0; i < JPEG_SIDE; ++i) block[i * JPEG_SIDE + column] = (int32_t)x[i];
  }
  for (unsigned line = 0; line < JPEG_SIDE; ++line) {
    memcpy(x, block + line * JPEG_SIDE, sizeof x);
    pass(x, CONSTANT_BITS + PASS_BITS + 3);
    store_line((const int32_t*)x, samples + line * stride);
  }
}
#else
/* Lanes become vectors and vectors lanes: three times each half is interleaved with the other. */
INLINE void transpose(lanes x[JPEG_SIDE]) {
  for (unsigned round = 0; round < 3; ++round) {
    lanes y[JPEG_SIDE];
    for (unsigned i = 0; i < 4; ++i) {
      y[2 * i] = __builtin_shufflevector(x[i], x[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    memcpy(x, y, sizeof y);
  }
}

INLINE void transform(const int16_t* coefs, const uint16_t* quant, uint8_t* samples,
                      size_t stride) {
  lanes x[JPEG_SIDE];
  for (unsigned i = 0; i < JPEG_SIDE; ++i) {
    narrow_lanes coef;
    quant_lanes factor;
    memcpy(&coef, coefs + i * JPEG_SIDE, sizeof coef);
    memcpy(&factor, quant + i * JPEG_SIDE, sizeof factor);
    x[i] = (lanes) __builtin_convertvector(coef, signed_lanes) *
           __builtin_convertvector(factor, lanes);
  }
  pass(x, CONSTANT_BITS - PASS_BITS);
  transpose(x);
  pass(x, CONSTANT_BITS + PASS_BITS + 3);
  transpose(x);
  for (unsigned i = 0; i < JPEG_SIDE; ++i) {
    int32_t line[JPEG_SIDE];
    memcpy(line, &x[i], sizeof line);
    store_line(line, samples + i * stride);
  }
}
#endif

KERNEL_WIDE void jpeg_transform_rows(const struct jpeg_frame* frame, const int16_t* coefs,
                                     uint8_t* samples, size_t row_count) {
  for (size_t row = 0; row < row_count; ++row, samples += frame->samples_per_row) {
    for (size_t mcu = 0; mcu < frame->mcus_across; ++mcu) {
      for (unsigned i = 0; i < frame->component_count; ++i) {
        const struct jpeg_component* c = &frame->components[i];
        for (unsigned j = 0; j < c->h * c->v; ++j, coefs += JPEG_BLOCK) {
          const size_t line = (size_t)(j / c->h) * JPEG_SIDE;
          const size_t column = (mcu * c->h + j % c->h) * JPEG_SIDE;
          transform(coefs, c->quant, samples + c->first_sample + line * c->stride + column,
                    c->stride);
        }
      }
    }
  }
}
