/* SPDX-License-Identifier: Apache-2.0
 *
 * The compressed data: codes of variable length, one behind the other, so a piece can only be read
 * after the one before it, up to the next restart marker.
 */
#ifndef KERNELS_JPEG_HUFFMAN_H
#define KERNELS_JPEG_HUFFMAN_H

#include "hwse/jpeg/frame.h"

/* How far the data of a scan have been read. Only one task at a time may hold a reader. */
struct jpeg_reader {
  const struct jpeg_scan* scan;
  const uint8_t* next;
  uint64_t bits; /* the lowest `bit_count` of them are read, but not used */
  unsigned bit_count;
  unsigned padding; /* bits that were made up behind the end of the data */
  unsigned mcus_to_restart;
  size_t restart_count;        /* so far */
  int dc[JPEG_COMPONENTS_MAX]; /* the last block's, in the scan's order */
  const char* fault;           /* what is wrong with the data, or NULL */
};

/* Makes the codes from the number of codes of each length and from their symbols, `total` of them.
 * Returns false if there are more codes than their lengths permit. */
bool jpeg_huffman_build(struct jpeg_huffman* table, const uint8_t* counts, const uint8_t* symbols,
                        unsigned total);

/* Puts a reader before the first MCU of a restart interval. */
void jpeg_reader_start(struct jpeg_reader* reader, const struct jpeg_scan* scan, size_t interval);

/* Reads the coefficients of some rows. `coefs` is where the first of these rows begins. After a
 * fault it does nothing. */
void jpeg_read_rows(const struct jpeg_frame* frame, struct jpeg_reader* reader,
                    struct jpeg_rows rows, int16_t* coefs);

#endif
