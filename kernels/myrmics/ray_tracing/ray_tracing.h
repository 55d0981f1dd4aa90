/* SPDX-License-Identifier: Apache-2.0
 *
 * Ray tracing: a scene of spheres on a floor, and the frame that is rendered from it. The programs
 * are ray_tracing.c, with Myrmics' pragmas, and openmp.c.
 */
#ifndef KERNELS_RAY_TRACING_H
#define KERNELS_RAY_TRACING_H

#include <stddef.h>
#include <stdint.h>

#include "common/parts.h"
#include "myrmics/ray_tracing/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIGHT_COUNT = 3 };

/* Spheres form a tree, in which a ray that misses the bound of a sphere misses all below it. The
 * list has a sphere before those below it. */
struct sphere {
  struct vector centre;
  float radius;
  float bound; /* radius of a sphere with the same centre around this one and all below it */
  int below;   /* how many spheres are below this one */
  struct vector colour;
};

struct light {
  struct vector direction; /* towards it; it is infinitely far away */
  struct vector colour;
};

struct scene {
  int width, height; /* of the frame, in pixels */
  /* Where the eye is, and from there to the middle of the frame's upper left pixel, to its right
   * neighbour and to the one below. */
  struct vector eye, corner, right, down;
  float floor; /* height of the floor */
  struct light lights[LIGHT_COUNT];
  int sphere_count;
  struct sphere spheres[];
};

/* The parts are dealt tiles in turn, so that all have some of the dear and of the cheap ones: of
 * n parts, the tiles of part p are p, p + n, p + 2 n, ... of the frame. */
struct ray_tracing {
  struct scene* scene; /* an object; `local` of each part is its copy */
  struct parts frame;  /* a tile: some pixels after each other; red, green and blue bytes */
  size_t tile_pixels;
};

/* The tile with this index in the frame. */
static inline uint8_t* ray_tracing_tile(const struct ray_tracing* data, size_t index) {
  const size_t part_count = data->frame.part_count;
  return (uint8_t*)data->frame.part[index % part_count].tiles[index / part_count];
}

static inline size_t scene_bytes(int sphere_count) {
  return sizeof(struct scene) + (size_t)sphere_count * sizeof(struct sphere);
}

/* The scene of the kernel, an object: a ball with nine smaller balls on it, each with nine balls on
 * it, down to `levels` levels. */
struct scene* scene_new(int levels, int width, int height);

/* One pixel: its four samples' mean. */
void render_pixel(const struct scene* scene, int line, int column, uint8_t colour[3]);
/* The pixels from `first` on, line after line, as far as the frame has them. */
void render_pixels(const struct scene* scene, size_t first, size_t count, uint8_t* pixels);
void copy_scene(const struct scene* scene, struct scene* to);

void ray_tracing_serial(struct ray_tracing* data);
void ray_tracing_tasks(struct ray_tracing* data);

#ifdef __cplusplus
}
#endif
#endif
