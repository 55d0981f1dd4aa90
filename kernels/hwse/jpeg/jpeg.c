/* SPDX-License-Identifier: Apache-2.0
 *
 * The program in both styles that the paper compares. In loops: three parallel loops over the
 * picture with a barrier behind each. In tasks: the chunks of all three stages at once, ordered by
 * what they read and write, so that a chunk is transformed while the next one is still read.
 */
#include "hwse/jpeg/decoder.h"

static void decode_in_loops(struct jpeg_decoder* decoder) {
  for (size_t i = 0; i < decoder->stretch_count; ++i) {
#pragma omp task
    jpeg_read_stretch(decoder, &decoder->stretches[i]);
  }
#pragma omp taskwait
  for (size_t i = 0; i < decoder->chunk_count; ++i) {
#pragma omp task
    jpeg_transform(decoder, &decoder->chunks[i]);
  }
#pragma omp taskwait
  for (size_t i = 0; i < decoder->chunk_count; ++i) {
#pragma omp task
    jpeg_colour(decoder, &decoder->chunks[i]);
  }
#pragma omp taskwait
}

static void spawn_colour(struct jpeg_decoder* decoder, const struct jpeg_chunk* chunk) {
#pragma omp task in([chunk->around_count] chunk->around), out([chunk->pixel_bytes] chunk->pixels)
  jpeg_colour(decoder, chunk);
}

/* Each chunk is coloured behind the next one's transform, whose samples it needs. */
static void decode_in_tasks(struct jpeg_decoder* decoder) {
  const size_t chunk_count = decoder->chunk_count;
  for (size_t i = 0; i < chunk_count; ++i) {
    const struct jpeg_chunk* chunk = &decoder->chunks[i];
    for (size_t scan = 0; scan < decoder->frame.scan_count; ++scan) {
      struct jpeg_stretch* stretch = decoder->stretch_of[scan * chunk_count + i];
#pragma omp task inout([1] stretch), inout([chunk->coef_count] chunk->coefs)
      jpeg_read(decoder, stretch, chunk);
    }
#pragma omp task in([chunk->coef_count] chunk->coefs), out([chunk->sample_count] chunk->samples)
    jpeg_transform(decoder, chunk);
    if (i > 0) spawn_colour(decoder, chunk - 1);
  }
  spawn_colour(decoder, &decoder->chunks[chunk_count - 1]);
#pragma omp taskwait
}

void jpeg_run(struct jpeg_decoder* decoder) {
  jpeg_rewind(decoder);
  if (decoder->style == JPEG_LOOPS) {
    decode_in_loops(decoder);
  } else {
    decode_in_tasks(decoder);
  }
}
