/* SPDX-License-Identifier: Apache-2.0
 *
 * Ray tracing as in the Myrmics paper, section VI-B: all tasks read the scene; main spawns a coarse
 * task for each part of the frame, which spawns a fine one for each tile of lines.
 */
#include "ray_tracing/ray_tracing.h"

#include <myrmics.h>

/* A fine task. */
static void render_tile(struct scene* scene, uint8_t* pixels, int first, int lines) {
  render_lines(scene, first, lines, pixels);
}

/* A coarse task. */
static void render_part(rid_t region, struct scene* scene, void** tiles, size_t tile_count,
                        int first_line, int lines) {
  (void)region;
  for (size_t i = 0; i < tile_count; ++i) {
    uint8_t* pixels = tiles[i];
    int first = first_line + (int)i * lines;
#pragma myrmics task in(scene), out(pixels), in(first, lines)
    render_tile(scene, pixels, first, lines);
  }
}

void ray_tracing_run(struct ray_tracing* data) {
  struct scene* scene = data->scene;
  size_t tile_count = data->frame.tile_count;
  int lines = data->tile_lines;
  for (size_t p = 0; p < data->frame.part_count; ++p) {
    rid_t region = data->frame.part[p].region;
    void** tiles = data->frame.part[p].tiles;
    int first_line = (int)(p * tile_count) * lines;
#pragma myrmics task region inout(region), in(scene), in(tiles, tile_count, first_line, lines), \
    safe(tiles)
    render_part(region, scene, tiles, tile_count, first_line, lines);
  }
#pragma myrmics wait on(region data->frame.region)
}
