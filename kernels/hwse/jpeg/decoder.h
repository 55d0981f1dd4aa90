/* SPDX-License-Identifier: Apache-2.0
 *
 * A picture on its way from the file to its pixels, cut into chunks of rows, and the three steps
 * that take a chunk from one stage to the next. The serial program and both task programs call
 * these steps.
 *
 *     file --read--> coefficients --transform--> samples --colour--> pixels
 *
 * Reading is serial from chunk to chunk, unless a restart marker stands just before a chunk.
 * Colouring needs the samples of the chunks above and below, too.
 */
#ifndef KERNELS_JPEG_DECODER_H
#define KERNELS_JPEG_DECODER_H

#include "hwse/jpeg/frame.h"
#include "hwse/jpeg/huffman.h"

#ifdef __cplusplus
extern "C" {
#endif

enum jpeg_style { JPEG_LOOPS, JPEG_TASKS };

/* The chunks that one reader reads one after the other. */
struct jpeg_stretch {
  struct jpeg_reader reader;
  const struct jpeg_scan* scan;
  size_t interval; /* of the scan, where it begins */
  size_t first_chunk;
  size_t chunk_count;
};

/* Some rows, and where their data lie in each stage. */
struct jpeg_chunk {
  struct jpeg_rows rows;
  int16_t* coefs;
  size_t coef_count;
  uint8_t* samples;
  size_t sample_count;
  const uint8_t* around; /* the samples with those of the chunks above and below */
  size_t around_count;
  uint8_t* pixels;
  size_t pixel_bytes;
};

struct jpeg_decoder {
  struct jpeg_frame frame;
  enum jpeg_style style;
  struct jpeg_chunk* chunks;
  size_t chunk_count;
  int16_t* coefs;
  uint8_t* samples;
  uint8_t* pixels;
  struct jpeg_stretch* stretches; /* by scan, then by first chunk */
  size_t stretch_count;
  struct jpeg_stretch** stretch_of; /* which one has a chunk: by scan, then by chunk */
};

/* How to decode: which of the two task programs, and how large its chunks are. */
struct jpeg_plan {
  enum jpeg_style style;
  size_t rows_per_chunk;
};

/* Prepares to decode the file in `bytes`, which must live on. Returns NULL, or what is wrong. In
 * both cases jpeg_close() frees what the decoder holds. */
const char* jpeg_open(struct jpeg_decoder* decoder, const uint8_t* bytes, size_t size,
                      struct jpeg_plan plan);
void jpeg_close(struct jpeg_decoder* decoder);

/* Puts all readers before their first chunks. */
void jpeg_rewind(struct jpeg_decoder* decoder);

/* After decoding: what is wrong with the picture's data, or NULL. */
const char* jpeg_fault(const struct jpeg_decoder* decoder);

/* The steps. */
void jpeg_read(const struct jpeg_decoder* decoder, struct jpeg_stretch* stretch,
               const struct jpeg_chunk* chunk);
void jpeg_transform(const struct jpeg_decoder* decoder, const struct jpeg_chunk* chunk);
void jpeg_colour(const struct jpeg_decoder* decoder, const struct jpeg_chunk* chunk);

/* All chunks of a stretch. */
void jpeg_read_stretch(const struct jpeg_decoder* decoder, struct jpeg_stretch* stretch);

/* The programs: each decodes the whole picture. */
void jpeg_serial(struct jpeg_decoder* decoder);
void jpeg_tasks(struct jpeg_decoder* decoder);

#ifdef __cplusplus
}
#endif

#endif
