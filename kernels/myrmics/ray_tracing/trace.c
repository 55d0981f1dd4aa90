/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens to a ray: the nearest sphere or the floor, the lights that reach that place, and the
 * mirror image in it, up to some reflections.
 */
#include <stdbool.h>
#include <string.h>

#include "chip/costs.h"
#include "chip/work.h"
#include "myrmics/ray_tracing/ray_tracing.h"

enum { REFLECTIONS_MAX = 5, SAMPLES_A_SIDE = 2 };

static const float kFar = 1e30F;
static const float kNear = 1e-4F;         /* closer hits are the surface that the ray starts on */
static const float kFog = 40;             /* at this distance, half of the floor is sky */
static const float kSphereMirror = 0.35F; /* share of the light that is reflected straight on */
static const float kFloorMirror = 0.12F;
static const float kAmbient = 0.12F;

struct ray {
  struct vector origin, direction; /* the direction has length 1 */
};

/* Follows rays through a scene and counts what it costs. */
struct tracer {
  const struct scene* scene;
  uint64_t tests; /* of a ray against a ball or its bound */
};

struct surface {
  struct vector place, normal, colour;
  float mirror;
  float distance;
};

/* The distance to a sphere, or kFar. */
static inline float distance_to(const struct ray* ray, struct vector centre, float radius) {
  const struct vector offset = subtract(centre, ray->origin);
  const float along = dot(offset, ray->direction);
  const float square = along * along - dot(offset, offset) + radius * radius;
  if (square < 0) return kFar;
  const float half = sqrtf(square);
  if (along - half > kNear) return along - half;
  return along + half > kNear ? along + half : kFar;
}

/* Whether a ray touches any place nearer than `limit` in the sphere's bound. */
static inline bool may_hit(const struct ray* ray, const struct sphere* sphere, float limit) {
  const struct vector offset = subtract(sphere->centre, ray->origin);
  const float along = dot(offset, ray->direction);
  const float square = dot(offset, offset), bound = sphere->bound * sphere->bound;
  if (square <= bound) return true;
  return along > 0 && square - along * along <= bound && along - sphere->bound < limit;
}

/* The nearest sphere, or NULL; `distance` is the limit, and then that of the sphere. */
static const struct sphere* nearest(struct tracer* tracer, const struct ray* ray, float* distance) {
  const struct scene* const scene = tracer->scene;
  const struct sphere* found = NULL;
  uint64_t tests = 0;
  for (int i = 0; i < scene->sphere_count;) {
    const struct sphere* const sphere = &scene->spheres[i];
    tests += 1;
    if (!may_hit(ray, sphere, *distance)) {
      i += 1 + sphere->below;
      continue;
    }
    tests += 1;
    const float here = distance_to(ray, sphere->centre, sphere->radius);
    if (here < *distance) *distance = here, found = sphere;
    i += 1;
  }
  tracer->tests += tests;
  return found;
}

static struct vector sky(struct vector direction) {
  const float height = fminf(fmaxf(2.5F * direction.y, 0), 1);
  const struct vector horizon = {0.72F, 0.50F, 0.36F}, zenith = {0.02F, 0.09F, 0.30F};
  return mix(horizon, zenith, sqrtf(height));
}

static struct vector floor_colour(struct vector place) {
  const int square = (int)floorf(place.x / 0.6F) + (int)floorf(place.z / 0.6F);
  return square % 2 == 0 ? vector(0.62F, 0.60F, 0.57F) : vector(0.05F, 0.05F, 0.07F);
}

/* False: the ray meets nothing but the sky. */
static bool find_surface(struct tracer* tracer, const struct ray* ray, struct surface* surface) {
  float distance = kFar;
  const struct sphere* const sphere = nearest(tracer, ray, &distance);
  const float to_floor = (tracer->scene->floor - ray->origin.y) / ray->direction.y;
  const bool is_floor = to_floor > kNear && to_floor < distance;
  if (sphere == NULL && !is_floor) return false;
  surface->distance = is_floor ? to_floor : distance;
  surface->place = add(ray->origin, scale(surface->distance, ray->direction));
  surface->mirror = is_floor ? kFloorMirror : kSphereMirror;
  surface->colour = is_floor ? floor_colour(surface->place) : sphere->colour;
  surface->normal = is_floor ? vector(0, 1, 0) : unit(subtract(surface->place, sphere->centre));
  return true;
}

/* The light that a surface scatters towards the ray's origin. */
static struct vector scattered(struct tracer* tracer, const struct ray* ray,
                               const struct surface* surface) {
  struct vector sum = scale(kAmbient, multiply(sky(surface->normal), surface->colour));
  for (int i = 0; i < LIGHT_COUNT; ++i) {
    const struct light* const light = &tracer->scene->lights[i];
    const float slant = dot(surface->normal, light->direction);
    if (slant <= 0) continue;
    const struct ray shadow = {surface->place, light->direction};
    float distance = kFar;
    if (nearest(tracer, &shadow, &distance) != NULL) continue;
    sum = add(sum, scale(slant, multiply(light->colour, surface->colour)));
    const struct vector half = unit(subtract(light->direction, ray->direction));
    float shine = fmaxf(dot(surface->normal, half), 0);
    for (int k = 0; k < 6; ++k) shine *= shine; /* to the power of 64 */
    sum = add(sum, scale(0.7F * shine, light->colour));
  }
  return sum;
}

static struct vector trace(struct tracer* tracer, const struct ray* ray, int reflections) {
  struct surface surface;
  if (!find_surface(tracer, ray, &surface)) return sky(ray->direction);
  struct vector colour = scattered(tracer, ray, &surface);
  const float slant = -dot(surface.normal, ray->direction);
  if (reflections < REFLECTIONS_MAX && slant > 0) {
    const struct ray mirrored = {surface.place,
                                 unit(add(ray->direction, scale(2 * slant, surface.normal)))};
    const float rest = 1 - slant, square = rest * rest;
    /* Flat rays are reflected more (Schlick's approximation). */
    const float share = surface.mirror + (1 - surface.mirror) * square * square * rest;
    const struct vector image = trace(tracer, &mirrored, reflections + 1);
    colour = mix(colour, multiply(image, mix(surface.colour, vector(1, 1, 1), 0.6F)), share);
  }
  const float clear = 1 / (1 + surface.distance * surface.distance / (kFog * kFog));
  return mix(sky(ray->direction), colour, clear);
}

/* Light to what a screen shows: a curve that keeps dark places dark and bends very bright light
 * below 1, then the screen's gamma. */
static uint8_t byte_of(float light) {
  const float shown = light * (2.2F * light + 0.05F) / (light * (2.1F * light + 0.6F) + 0.12F);
  return (uint8_t)(255 * sqrtf(fminf(fmaxf(shown, 0), 1)) + 0.5F);
}

static void render(struct tracer* tracer, int line, int column, uint8_t colour[3]) {
  const struct scene* const scene = tracer->scene;
  struct vector sum = {0, 0, 0};
  for (int i = 0; i < SAMPLES_A_SIDE * SAMPLES_A_SIDE; ++i) {
    const float shift = 0.5F / SAMPLES_A_SIDE - 0.5F;
    const float x = (float)column + shift + (float)(i % SAMPLES_A_SIDE) / SAMPLES_A_SIDE;
    const float y = (float)line + shift + (float)(i / SAMPLES_A_SIDE) / SAMPLES_A_SIDE;
    const struct vector towards =
        add(scene->corner, add(scale(x, scene->right), scale(y, scene->down)));
    const struct ray ray = {scene->eye, unit(towards)};
    sum = add(sum, trace(tracer, &ray, 0));
  }
  const struct vector mean = scale(1.0F / (SAMPLES_A_SIDE * SAMPLES_A_SIDE), sum);
  colour[0] = byte_of(mean.x), colour[1] = byte_of(mean.y), colour[2] = byte_of(mean.z);
}

void render_pixel(const struct scene* scene, int line, int column, uint8_t colour[3]) {
  struct tracer tracer = {.scene = scene, .tests = 0};
  render(&tracer, line, column, colour);
}

void render_pixels(const struct scene* scene, size_t first, size_t count, uint8_t* pixels) {
  const size_t width = (size_t)scene->width, total = width * (size_t)scene->height;
  const size_t end = first + count < total ? first + count : total;
  struct tracer tracer = {.scene = scene, .tests = 0};
  for (size_t i = first; i < end; ++i, pixels += 3) {
    render(&tracer, (int)(i / width), (int)(i % width), pixels);
  }
  if (first < end) kernel_work(tracer.tests * COST_RAY_TEST + (end - first) * COST_RAY_PIXEL);
}

void copy_scene(const struct scene* scene, struct scene* to) {
  const size_t bytes = scene_bytes(scene->sphere_count);
  memcpy(to, scene, bytes);
  kernel_work(bytes / 4 * COST_COPY);
}
