/* SPDX-License-Identifier: Apache-2.0
 *
 * Ray tracing with OpenMP's tasks: one for each tile of the frame.
 */
#include "myrmics/ray_tracing/ray_tracing.h"

void ray_tracing_tasks(struct ray_tracing* data) {
  const struct scene* scene = data->scene;
  const size_t tile_pixels = data->tile_pixels;
#pragma omp parallel
#pragma omp single
  {
    for (size_t i = 0; i < data->frame.tile_total; ++i) {
      uint8_t* pixels = ray_tracing_tile(data, i);
#pragma omp task firstprivate(scene, i, tile_pixels, pixels)
      render_pixels(scene, i * tile_pixels, tile_pixels, pixels);
    }
#pragma omp taskwait
  }
}
