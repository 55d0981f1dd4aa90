/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors in space, which also serve as colours: red, green, blue, each from 0 to 1. C++ only gets
 * the type: there, the name of a type and a function cannot be the same.
 */
#ifndef KERNELS_RAY_TRACING_VECTOR_H
#define KERNELS_RAY_TRACING_VECTOR_H

#include <math.h>

struct vector {
  float x, y, z;
};

#ifndef __cplusplus

static inline struct vector vector(float x, float y, float z) { return (struct vector){x, y, z}; }
static inline struct vector add(struct vector a, struct vector b) {
  return vector(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline struct vector subtract(struct vector a, struct vector b) {
  return vector(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline struct vector scale(float f, struct vector a) {
  return vector(f * a.x, f * a.y, f * a.z);
}
/* Number by number: the light of colour `a` that a surface of colour `b` sends back. */
static inline struct vector multiply(struct vector a, struct vector b) {
  return vector(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline float dot(struct vector a, struct vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline struct vector cross(struct vector a, struct vector b) {
  return vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline struct vector unit(struct vector a) { return scale(1 / sqrtf(dot(a, a)), a); }
/* From a to b, as t goes from 0 to 1. */
static inline struct vector mix(struct vector a, struct vector b, float t) {
  return add(scale(1 - t, a), scale(t, b));
}

#endif
#endif
