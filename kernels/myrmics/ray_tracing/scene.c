/* SPDX-License-Identifier: Apache-2.0
 *
 * The scene: a "sphereflake", which is a ball with smaller ones on it again and again, on a
 * chequered floor.
 */
#include "myrmics/ray_tracing/ray_tracing.h"

enum { CHILDREN = 9, RING = 6 }; /* six balls around a ball's equator, three around its pole */

static const float kShrink = 1.0F / 3; /* a ball's radius against that of the ball it sits on */
static const float kPi = 3.14159265F;

static int tree_size(int levels) { return levels == 0 ? 0 : 1 + CHILDREN * tree_size(levels - 1); }

static struct vector colour_of(int levels_below) {
  static const struct vector colours[] = {{0.95F, 0.95F, 0.92F},
                                          {1.00F, 0.72F, 0.20F},
                                          {0.88F, 0.22F, 0.10F},
                                          {0.08F, 0.42F, 0.72F},
                                          {0.10F, 0.10F, 0.16F}};
  return colours[levels_below % 5];
}

/* The direction of a child, seen from a ball that points to `axis`. */
static struct vector child_axis(struct vector axis, int child) {
  const struct vector aside = fabsf(axis.y) < 0.9F ? vector(0, 1, 0) : vector(1, 0, 0);
  const struct vector u = unit(cross(axis, aside));
  const struct vector v = cross(axis, u);
  const float elevation = child < RING ? 0 : 55 * kPi / 180;
  const float turn = child < RING ? child * kPi / 3 : (child - RING + 0.25F) * 2 * kPi / 3;
  const struct vector around = add(scale(cosf(turn), u), scale(sinf(turn), v));
  return add(scale(cosf(elevation), around), scale(sinf(elevation), axis));
}

/* Writes the ball and all below it. Returns the end of what it wrote. */
static struct sphere* grow(struct sphere* next, struct vector centre, float radius,
                           struct vector axis, int levels) {
  struct sphere* const ball = next++;
  *ball = (struct sphere){.centre = centre,
                          .radius = radius,
                          .bound = radius,
                          .below = tree_size(levels) - 1,
                          .colour = colour_of(levels - 1)};
  if (levels == 1) return next;
  const float distance = radius * (1 + kShrink);
  for (int i = 0; i < CHILDREN; ++i) {
    struct sphere* const child = next;
    const struct vector direction = child_axis(axis, i);
    next = grow(next, add(centre, scale(distance, direction)), radius * kShrink, direction,
                levels - 1);
    ball->bound = fmaxf(ball->bound, 1.0001F * (distance + child->bound));
  }
  return next;
}

static void aim(struct scene* scene, struct vector eye, struct vector target, float degrees) {
  const struct vector forward = unit(subtract(target, eye));
  const struct vector right = unit(cross(forward, vector(0, 1, 0)));
  const struct vector up = cross(right, forward);
  const float pixel = 2 * tanf(degrees / 2 * kPi / 180) / (float)scene->width;
  scene->eye = eye;
  scene->right = scale(pixel, right);
  scene->down = scale(-pixel, up);
  const float left = -0.5F * (float)(scene->width - 1), top = -0.5F * (float)(scene->height - 1);
  scene->corner = add(forward, add(scale(left, scene->right), scale(top, scene->down)));
}

struct scene* scene_new(int levels, int width, int height) {
  const int count = tree_size(levels);
  struct scene* scene = myr_alloc(scene_bytes(count), MYR_ROOT);
  *scene = (struct scene){
      .width = width,
      .height = height,
      .floor = -1,
      .lights = {{unit(vector(0.9F, 1, 0.35F)), {0.95F, 0.82F, 0.62F}},
                 {unit(vector(-1, 0.6F, 0.7F)), {0.14F, 0.20F, 0.36F}},
                 {unit(vector(-0.5F, 0.35F, -1)), {0.45F, 0.22F, 0.10F}}},
      .sphere_count = count,
  };
  aim(scene, vector(2.3F, 1.0F, 5.3F), vector(0, 0.4F, 0), 42);
  grow(scene->spheres, vector(0, 0, 0), 1, vector(0, 1, 0), levels);
  return scene;
}
