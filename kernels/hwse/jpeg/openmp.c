/* SPDX-License-Identifier: Apache-2.0
 *
 * The program as OpenMP's own: parallel loops, or tasks with dependences. A dependence
 * names the first element of a chunk.
 */
#include "hwse/jpeg/decoder.h"

static void decode_in_loops(struct jpeg_decoder* decoder) {
#pragma omp parallel
  {
#pragma omp for schedule(OPENMP_SCHEDULE)
    for (size_t i = 0; i < decoder->stretch_count; ++i) {
      jpeg_read_stretch(decoder, &decoder->stretches[i]);
    }
#pragma omp for schedule(OPENMP_SCHEDULE)
    for (size_t i = 0; i < decoder->chunk_count; ++i) jpeg_transform(decoder, &decoder->chunks[i]);
#pragma omp for schedule(OPENMP_SCHEDULE)
    for (size_t i = 0; i < decoder->chunk_count; ++i) jpeg_colour(decoder, &decoder->chunks[i]);
  }
}

static void spawn_colour(struct jpeg_decoder* decoder, size_t i) {
  const struct jpeg_chunk* chunk = &decoder->chunks[i];
  const uint8_t* above = i == 0 ? chunk->samples : chunk[-1].samples;
  const uint8_t* below = i + 1 == decoder->chunk_count ? chunk->samples : chunk[1].samples;
#pragma omp task depend(in : *above, *chunk->samples, *below)
  jpeg_colour(decoder, chunk);
}

static void spawn_all(struct jpeg_decoder* decoder) {
  const size_t chunk_count = decoder->chunk_count;
  for (size_t i = 0; i < chunk_count; ++i) {
    const struct jpeg_chunk* chunk = &decoder->chunks[i];
    for (size_t scan = 0; scan < decoder->frame.scan_count; ++scan) {
      struct jpeg_stretch* stretch = decoder->stretch_of[scan * chunk_count + i];
#pragma omp task depend(inout : *stretch, *chunk->coefs)
      jpeg_read(decoder, stretch, chunk);
    }
#pragma omp task depend(in : *chunk->coefs) depend(out : *chunk -> samples)
    jpeg_transform(decoder, chunk);
    if (i > 0) spawn_colour(decoder, i - 1);
  }
  spawn_colour(decoder, chunk_count - 1);
}

static void decode_in_tasks(struct jpeg_decoder* decoder) {
#pragma omp parallel
#pragma omp single
  {
    spawn_all(decoder);
#pragma omp taskwait
  }
}

void jpeg_tasks(struct jpeg_decoder* decoder) {
  jpeg_rewind(decoder);
  if (decoder->style == JPEG_LOOPS) {
    decode_in_loops(decoder);
  } else {
    decode_in_tasks(decoder);
  }
}
