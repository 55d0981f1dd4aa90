/* SPDX-License-Identifier: Apache-2.0
 *
 * Ray tracing as OpenMP's parallel loop over the tiles of the frame.
 */
#include "myrmics/ray_tracing/ray_tracing.h"

void ray_tracing_tasks(struct ray_tracing* data) {
  const size_t tile_pixels = data->tile_pixels;
#pragma omp parallel for schedule(OPENMP_SCHEDULE)
  for (size_t i = 0; i < data->frame.tile_total; ++i) {
    render_pixels(data->scene, i * tile_pixels, tile_pixels, ray_tracing_tile(data, i));
  }
}
