/* SPDX-License-Identifier: Apache-2.0
 *
 * What the headers of a JPEG file say (ITU-T T.81, sequential Huffman coding with 8 bits a sample),
 * and where its compressed data lie. A picture is cut into MCUs, each with some blocks of 8 x 8
 * samples of every component; "row" means a row of MCUs here, "line" a line of samples.
 *
 * Whatever stands in the file, jpeg_parse() answers with a frame in which every index is in range
 * or with a message.
 */
#ifndef KERNELS_JPEG_FRAME_H
#define KERNELS_JPEG_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  JPEG_SIDE = 8, /* of a block */
  JPEG_BLOCK = JPEG_SIDE * JPEG_SIDE,
  JPEG_COMPONENTS_MAX = 3,
  JPEG_CHANNELS = 3, /* of the decoded picture: red, green, blue */
  JPEG_TABLES_MAX = 4,
  JPEG_LOOKUP_BITS = 9,
  JPEG_CODE_BITS_MAX = 16
};

/* Codes of up to JPEG_LOOKUP_BITS bits are found by one look; longer ones by their length. */
struct jpeg_huffman {
  uint8_t symbols[256];
  uint16_t lookup[1 << JPEG_LOOKUP_BITS];   /* length << 8 | symbol; 0: a longer code, or none */
  int32_t code_end[JPEG_CODE_BITS_MAX + 1]; /* one past the last code of a length */
  int32_t first_symbol[JPEG_CODE_BITS_MAX + 1]; /* a code of this length + this = its symbol */
  bool defined;
};

struct jpeg_component {
  unsigned id;
  unsigned h, v;              /* blocks in an MCU, across and down */
  unsigned width, height;     /* in samples, without what only fills up the last MCUs */
  unsigned quantiser;         /* which table */
  uint16_t quant[JPEG_BLOCK]; /* that table, as it was when the component's scan began */
  unsigned first_block;       /* of this component in an MCU */
  size_t first_sample;        /* of this component in a row */
  unsigned stride;            /* from line to line */
  bool seen;                  /* in a scan */
};

/* A pass over the data of some components. */
struct jpeg_scan {
  unsigned component_count;
  unsigned components[JPEG_COMPONENTS_MAX];
  struct jpeg_huffman dc[JPEG_COMPONENTS_MAX]; /* in the scan's order */
  struct jpeg_huffman ac[JPEG_COMPONENTS_MAX];
  unsigned restart_interval; /* MCUs between two restart markers; 0: there are none */
  const uint8_t* begin;
  const uint8_t* end;
  const uint8_t** restarts; /* where the data behind each restart marker begin */
  size_t restart_count;
};

struct jpeg_frame {
  unsigned width, height;
  unsigned component_count;
  struct jpeg_component components[JPEG_COMPONENTS_MAX];
  unsigned h_max, v_max;
  unsigned mcus_across, rows; /* MCUs in a row, rows in the picture */
  unsigned blocks_per_mcu;
  size_t samples_per_row; /* of all components: a row's samples lie together */
  bool ycc;               /* luminance and two colour differences, else red, green and blue */
  unsigned scan_count;
  struct jpeg_scan scans[JPEG_COMPONENTS_MAX];
};

/* Some rows of a picture. */
struct jpeg_rows {
  size_t first, count;
};

/* Reads the headers of the file in `bytes`, which the frame refers to from then on. Returns NULL,
 * or what is wrong. In both cases jpeg_frame_free() frees what the frame holds. */
const char* jpeg_parse(struct jpeg_frame* frame, const uint8_t* bytes, size_t size);
void jpeg_frame_free(struct jpeg_frame* frame);

/* Where the n-th coefficient of a block lies in it, line by line. */
extern const uint8_t jpeg_zigzag[JPEG_BLOCK];

/* n / d, rounded up. */
static inline unsigned jpeg_parts(unsigned n, unsigned d) { return (n + d - 1) / d; }

/* MCUs of a row in one scan, and rows of these MCUs in a row of the frame: a scan of a single
 * component has MCUs of one block each, and only those that the picture covers. */
static inline bool jpeg_is_single(const struct jpeg_frame* frame, const struct jpeg_scan* scan) {
  return scan->component_count == 1 && frame->component_count > 1;
}

#endif
