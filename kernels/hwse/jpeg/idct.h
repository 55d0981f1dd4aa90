/* SPDX-License-Identifier: Apache-2.0
 *
 * From coefficients to samples, block by block.
 */
#ifndef KERNELS_JPEG_IDCT_H
#define KERNELS_JPEG_IDCT_H

#include "hwse/jpeg/frame.h"

/* The samples of some rows from their coefficients, component after component in each row. `coefs`
 * and `samples` are those of the first of these rows. */
void jpeg_transform_rows(const struct jpeg_frame* frame, const int16_t* coefs, uint8_t* samples,
                         size_t row_count);

#endif
