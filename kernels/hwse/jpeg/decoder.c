/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory and plan of a decoder, and its steps on chunks.
 */
#include "hwse/jpeg/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "hwse/jpeg/colour.h"
#include "hwse/jpeg/idct.h"

/* The sizes of a row: its coefficients, its samples, and the bytes of its pixels. */
struct row_sizes {
  size_t coefs, samples, bytes;
};

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

/* Sets the chunks, and where their data lie in the decoder's arrays. */
static void plan_chunks(struct jpeg_decoder* decoder, size_t rows_per_chunk,
                        const struct row_sizes* sizes) {
  const size_t row_count = decoder->frame.rows;
  for (size_t i = 0; i < decoder->chunk_count; ++i) {
    const size_t first = i * rows_per_chunk;
    const size_t count = min(rows_per_chunk, row_count - first);
    const size_t above = i == 0 ? 0 : first - rows_per_chunk;
    const size_t below = min(first + 2 * rows_per_chunk, row_count);
    decoder->chunks[i] = (struct jpeg_chunk){
        .rows = {first, count},
        .coefs = decoder->coefs + first * sizes->coefs,
        .coef_count = count * sizes->coefs,
        .samples = decoder->samples + first * sizes->samples,
        .sample_count = count * sizes->samples,
        .around = decoder->samples + above * sizes->samples,
        .around_count = (below - above) * sizes->samples,
        .pixels = decoder->pixels + first * sizes->bytes,
        .pixel_bytes = count * sizes->bytes,
    };
  }
}

/* MCUs of a scan that stand before a chunk. */
static size_t mcus_before(const struct jpeg_decoder* decoder, const struct jpeg_scan* scan,
                          size_t chunk) {
  const struct jpeg_frame* frame = &decoder->frame;
  const size_t row = decoder->chunks[chunk].rows.first;
  if (!jpeg_is_single(frame, scan)) return row * frame->mcus_across;
  const struct jpeg_component* component = &frame->components[scan->components[0]];
  return row * component->v * jpeg_parts(component->width, JPEG_SIDE);
}

/* Cuts each scan where restart markers stand before a chunk. */
static void plan_stretches(struct jpeg_decoder* decoder) {
  for (unsigned i = 0; i < decoder->frame.scan_count; ++i) {
    const struct jpeg_scan* scan = &decoder->frame.scans[i];
    for (size_t chunk = 0; chunk < decoder->chunk_count; ++chunk) {
      const size_t mcus = mcus_before(decoder, scan, chunk);
      const unsigned interval = scan->restart_interval;
      if (chunk == 0 || (interval != 0 && mcus % interval == 0)) {
        decoder->stretches[decoder->stretch_count++] = (struct jpeg_stretch){
            .scan = scan,
            .interval = interval == 0 ? 0 : mcus / interval,
            .first_chunk = chunk,
        };
      }
      struct jpeg_stretch* last = &decoder->stretches[decoder->stretch_count - 1];
      ++last->chunk_count;
      decoder->stretch_of[i * decoder->chunk_count + chunk] = last;
    }
  }
}

static bool allocate(struct jpeg_decoder* decoder, const struct row_sizes* sizes) {
  const size_t row_count = decoder->frame.rows;
  const size_t stretch_max = decoder->chunk_count * decoder->frame.scan_count;
  /* Zeros, since a scan of one component leaves out the blocks that only fill up MCUs. */
  decoder->coefs = calloc(sizes->coefs * row_count, sizeof *decoder->coefs);
  decoder->samples = calloc(sizes->samples, row_count);
  decoder->pixels = calloc(sizes->bytes, row_count);
  decoder->chunks = calloc(decoder->chunk_count, sizeof *decoder->chunks);
  decoder->stretches = calloc(stretch_max, sizeof *decoder->stretches);
  decoder->stretch_of = calloc(stretch_max, sizeof *decoder->stretch_of);
  return decoder->coefs != NULL && decoder->samples != NULL && decoder->pixels != NULL &&
         decoder->chunks != NULL && decoder->stretches != NULL && decoder->stretch_of != NULL;
}

const char* jpeg_open(struct jpeg_decoder* decoder, const uint8_t* bytes, size_t size,
                      struct jpeg_plan plan) {
  memset(decoder, 0, sizeof *decoder);
  struct jpeg_frame* frame = &decoder->frame;
  const char* fault = jpeg_parse(frame, bytes, size);
  if (fault != NULL) return fault;
  decoder->style = plan.style;
  decoder->chunk_count = (frame->rows + plan.rows_per_chunk - 1) / plan.rows_per_chunk;
  const struct row_sizes sizes = {
      .coefs = (size_t)frame->mcus_across * frame->blocks_per_mcu * JPEG_BLOCK,
      .samples = frame->samples_per_row,
      .bytes = (size_t)frame->width * JPEG_CHANNELS * frame->v_max * JPEG_SIDE,
  };
  if (!allocate(decoder, &sizes)) return "out of memory";
  plan_chunks(decoder, plan.rows_per_chunk, &sizes);
  plan_stretches(decoder);
  return NULL;
}

void jpeg_close(struct jpeg_decoder* decoder) {
  jpeg_frame_free(&decoder->frame);
  free(decoder->coefs);
  free(decoder->samples);
  free(decoder->pixels);
  free(decoder->chunks);
  free(decoder->stretches);
  free(decoder->stretch_of);
}

void jpeg_rewind(struct jpeg_decoder* decoder) {
  for (size_t i = 0; i < decoder->stretch_count; ++i) {
    struct jpeg_stretch* stretch = &decoder->stretches[i];
    jpeg_reader_start(&stretch->reader, stretch->scan, stretch->interval);
  }
}

const char* jpeg_fault(const struct jpeg_decoder* decoder) {
  const char* fault = NULL;
  for (size_t i = 0; i < decoder->stretch_count && fault == NULL; ++i) {
    fault = decoder->stretches[i].reader.fault;
  }
  return fault;
}

void jpeg_read(const struct jpeg_decoder* decoder, struct jpeg_stretch* stretch,
               const struct jpeg_chunk* chunk) {
  jpeg_read_rows(&decoder->frame, &stretch->reader, chunk->rows, chunk->coefs);
}

void jpeg_read_stretch(const struct jpeg_decoder* decoder, struct jpeg_stretch* stretch) {
  const struct jpeg_chunk* chunks = decoder->chunks + stretch->first_chunk;
  for (size_t i = 0; i < stretch->chunk_count; ++i) jpeg_read(decoder, stretch, &chunks[i]);
}

void jpeg_transform(const struct jpeg_decoder* decoder, const struct jpeg_chunk* chunk) {
  jpeg_transform_rows(&decoder->frame, chunk->coefs, chunk->samples, chunk->rows.count);
}

void jpeg_colour(const struct jpeg_decoder* decoder, const struct jpeg_chunk* chunk) {
  jpeg_colour_rows(&decoder->frame, decoder->samples, decoder->pixels, chunk->rows);
}
