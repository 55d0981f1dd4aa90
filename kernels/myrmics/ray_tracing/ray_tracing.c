/* SPDX-License-Identifier: Apache-2.0
 *
 * Ray tracing as in the Myrmics paper, section VI-B. For each part of the frame, main spawns a task
 * that copies the scene there, and a coarse task, which holds that part and nothing else and spawns
 * a fine one for each tile.
 */
#include "myrmics/ray_tracing/ray_tracing.h"

#include <myrmics.h>

static void copy_to_part(struct scene* scene, struct scene* local) { copy_scene(scene, local); }

/* A fine task. */
static void render_tile(struct scene* scene, uint8_t* pixels, size_t first, size_t count) {
  render_pixels(scene, first, count, pixels);
}

/* A coarse task. `first` is the first pixel of its first tile, `stride` how far tiles lie apart. */
static void render_part(rid_t region, struct scene* scene, void** tiles, size_t tile_count,
                        size_t first, size_t stride, size_t tile_pixels) {
  (void)region;
  for (size_t i = 0; i < tile_count; ++i) {
    uint8_t* pixels = tiles[i];
    size_t begin = first + i * stride;
#pragma myrmics task in(scene), out(pixels), in(begin, tile_pixels)
    render_tile(scene, pixels, begin, tile_pixels);
  }
}

void ray_tracing_run(struct ray_tracing* data) {
  struct scene* scene = data->scene;
  size_t tile_pixels = data->tile_pixels, stride = tile_pixels * data->frame.part_count;
  for (size_t p = 0; p < data->frame.part_count; ++p) {
    const struct part* part = &data->frame.part[p];
    struct scene* local = part->local;
#pragma myrmics task in(scene), out(local)
    copy_to_part(scene, local);
    rid_t region = part->region;
    void** tiles = part->tiles;
    size_t tile_count = part->tile_count, first = p * tile_pixels;
#pragma myrmics task region inout(region), notransfer(region), \
    in(local, tiles, tile_count, first, stride, tile_pixels), safe(local, tiles)
    render_part(region, local, tiles, tile_count, first, stride, tile_pixels);
  }
  rid_t all = data->frame.region;
  int* end = data->frame.end;
#pragma myrmics task region inout(all), notransfer(all), out(end)
  parts_reach_end(all, end);
#pragma myrmics wait on(end)
}
