/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic is libjpeg's, so that the pixels are, too. Where a component has half the lines or
 * columns, a new sample is 3/4 the nearest one and 1/4 the next ("fancy upsampling"); other
 * components have their samples repeated. The work is done in strips of a line that fit the stack.
 */
#include "hwse/jpeg/colour.h"

#include <string.h>

#include "common/wide.h"

#define INLINE static inline __attribute__((always_inline))

enum { STRIP = 256 }; /* pixels of a line at a time; even */

/* How one line of a component grows. */
struct growth {
  const uint8_t* near; /* the samples' nearest line, and the next nearest */
  const uint8_t* far;
  unsigned last; /* sample of a line */
  unsigned h;    /* pixels a sample is wide */
  bool blend_lines;
  bool blend_columns;
  bool below; /* is `far` below `near`? */
};

static const uint8_t* line_of(const struct jpeg_frame* frame, const uint8_t* samples,
                              const struct jpeg_component* component, size_t y) {
  const size_t lines = (size_t)component->v * JPEG_SIDE;
  return samples + y / lines * frame->samples_per_row + component->first_sample +
         y % lines * component->stride;
}

INLINE struct growth growth_of(const struct jpeg_frame* frame, const uint8_t* samples,
                               const struct jpeg_component* component, size_t y) {
  const unsigned h = frame->h_max / component->h;
  const unsigned v = frame->v_max / component->v;
  const size_t line = y / v;
  struct growth growth = {.last = component->width - 1, .h = h};
  growth.near = growth.far = line_of(frame, samples, component, line);
  growth.blend_columns = h == 2 && v <= 2 && component->width > 2;
  growth.blend_lines = v == 2 && (h == 1 || growth.blend_columns);
  growth.below = y % 2 == 1;
  if (growth.blend_lines) {
    size_t far = growth.below ? line + 1 : line == 0 ? 0 : line - 1;
    if (far >= component->height) far = component->height - 1;
    growth.far = line_of(frame, samples, component, far);
  }
  return growth;
}

INLINE int16_t sum_of(const struct growth* growth, unsigned sample) {
  return (int16_t)(3 * growth->near[sample] + growth->far[sample]);
}

/* Blends the two lines, in quarters, and then neighbours of the sums, in sixteenths. Where only
 * columns are blended, `near` and `far` are the same line, and a sum is four times its sample. */
INLINE void blend_columns(const struct growth* growth, unsigned x, unsigned count, uint8_t* out) {
  static const int kRounding[2][2] = {{4, 8}, {8, 7}};
  const int* rounding = kRounding[growth->blend_lines];
  const unsigned first = x / 2;
  const unsigned sample_count = (count + 1) / 2;
  int16_t sums[STRIP / 2 + 2]; /* with the neighbours at both ends */
  for (unsigned i = 0; i < sample_count; ++i) sums[i + 1] = sum_of(growth, first + i);
  sums[0] = first == 0 ? sums[1] : sum_of(growth, first - 1);
  const unsigned next = first + sample_count;
  sums[sample_count + 1] = next > growth->last ? sums[sample_count] : sum_of(growth, next);
  for (unsigned i = 0; i < sample_count; ++i) {
    const int centre = 3 * sums[i + 1];
    out[2 * i] = (uint8_t)((centre + sums[i] + rounding[0]) >> 4);
    out[2 * i + 1] = (uint8_t)((centre + sums[i + 2] + rounding[1]) >> 4);
  }
}

/* The samples for `count` pixels from `x` on. */
INLINE void grow(const struct growth* growth, unsigned x, unsigned count, uint8_t* out) {
  if (growth->blend_columns) {
    blend_columns(growth, x, count, out);
  } else if (growth->blend_lines) {
    const int rounding = growth->below ? 2 : 1;
    for (unsigned i = 0; i < count; ++i) {
      out[i] = (uint8_t)((3 * growth->near[x + i] + growth->far[x + i] + rounding) >> 2);
    }
  } else if (growth->h == 1) {
    memcpy(out, growth->near + x, count);
  } else {
    for (unsigned i = 0; i < count; ++i) out[i] = growth->near[(x + i) / growth->h];
  }
}

INLINE uint8_t to_byte(int x) { return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x); }

/* The conversion of JFIF in sixteen bits behind the binary point. */
INLINE void convert_ycc(uint8_t strips[JPEG_COMPONENTS_MAX][STRIP], unsigned count,
                        uint8_t* pixels) {
  enum { RED = 91881, GREEN_BLUE = 22554, GREEN_RED = 46802, BLUE = 116130, HALF = 1 << 15 };
  for (unsigned i = 0; i < count; ++i) {
    const int y = strips[0][i];
    const int cb = strips[1][i] - 128;
    const int cr = strips[2][i] - 128;
    pixels[JPEG_CHANNELS * i] = to_byte(y + ((RED * cr + HALF) >> 16));
    pixels[JPEG_CHANNELS * i + 1] = to_byte(y + ((HALF - GREEN_BLUE * cb - GREEN_RED * cr) >> 16));
    pixels[JPEG_CHANNELS * i + 2] = to_byte(y + ((BLUE * cb + HALF) >> 16));
  }
}

INLINE void copy_channels(uint8_t strips[JPEG_COMPONENTS_MAX][STRIP], unsigned component_count,
                          unsigned count, uint8_t* pixels) {
  for (unsigned i = 0; i < count; ++i) {
    for (unsigned channel = 0; channel < JPEG_CHANNELS; ++channel) {
      pixels[JPEG_CHANNELS * i + channel] = strips[component_count == 1 ? 0 : channel][i];
    }
  }
}

INLINE void colour_line(const struct jpeg_frame* frame, const uint8_t* samples, size_t y,
                        uint8_t* line) {
  struct growth growth[JPEG_COMPONENTS_MAX];
  for (unsigned i = 0; i < frame->component_count; ++i) {
    growth[i] = growth_of(frame, samples, &frame->components[i], y);
  }
  for (unsigned x = 0; x < frame->width; x += STRIP) {
    uint8_t strips[JPEG_COMPONENTS_MAX][STRIP];
    const unsigned count = frame->width - x < STRIP ? frame->width - x : STRIP;
    for (unsigned i = 0; i < frame->component_count; ++i) grow(&growth[i], x, count, strips[i]);
    uint8_t* pixels = line + (size_t)x * JPEG_CHANNELS;
    if (frame->ycc) {
      convert_ycc(strips, count, pixels);
    } else {
      copy_channels(strips, frame->component_count, count, pixels);
    }
  }
}

KERNEL_WIDE void jpeg_colour_rows(const struct jpeg_frame* frame, const uint8_t* samples,
                                  uint8_t* pixels, struct jpeg_rows rows) {
  const size_t lines = (size_t)frame->v_max * JPEG_SIDE;
  const size_t line_bytes = (size_t)frame->width * JPEG_CHANNELS;
  const size_t end = (rows.first + rows.count) * lines;
  for (size_t y = rows.first * lines; y < end && y < frame->height; ++y) {
    colour_line(frame, samples, y, pixels + y * line_bytes);
  }
}
