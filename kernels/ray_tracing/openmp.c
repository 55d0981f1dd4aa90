/* SPDX-License-Identifier: Apache-2.0
 *
 * Ray tracing with OpenMP's tasks: one for each tile of lines.
 */
#include "ray_tracing/ray_tracing.h"

void ray_tracing_tasks(struct ray_tracing* data) {
  const struct parts* frame = &data->frame;
  const int lines = data->tile_lines;
#pragma omp parallel
#pragma omp single
  for (size_t i = 0; i < frame->part_count * frame->tile_count; ++i) {
    uint8_t* pixels = parts_tile(frame, i);
    const struct scene* scene = data->scene;
#pragma omp task firstprivate(scene, i, lines, pixels)
    render_lines(scene, (int)i * lines, lines, pixels);
  }
}
