/* SPDX-License-Identifier: Apache-2.0
 *
 * From samples to pixels: components of fewer samples are brought to the picture's size, and
 * luminance and colour differences become red, green and blue.
 */
#ifndef KERNELS_JPEG_COLOUR_H
#define KERNELS_JPEG_COLOUR_H

#include "hwse/jpeg/frame.h"

/* The pixels of some rows, JPEG_CHANNELS bytes each, line by line. `samples` and `pixels` are those
 * of the whole picture; also the samples of the rows above and below are read. */
void jpeg_colour_rows(const struct jpeg_frame* frame, const uint8_t* samples, uint8_t* pixels,
                      struct jpeg_rows rows);

#endif
