/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of a random program. What a task writes follows from all that it reads, so a task that
 * runs too early or too late changes the end.
 */
#include "random.h"

static uint64_t mix(uint64_t seed, const struct cell* cell) {
  if (cell == NULL) return seed;
  const uint64_t mixed = (seed ^ cell->value) * 0x9e3779b97f4a7c15u;
  return mixed ^ mixed >> 29;
}

static void run_task(const struct random_task* t) {
  uint64_t value = t->number;
  for (size_t i = 0; i < RANDOM_READS; ++i) value = mix(value, t->reads[i]);
  for (size_t i = 0; i < RANDOM_WRITES; ++i) value = mix(value, t->writes[i]);
  for (size_t i = 0; i < RANDOM_WRITES; ++i) {
    if (t->writes[i] != NULL) t->writes[i]->value = value + i;
  }
}

void random_run(const struct random_program* program) {
  for (size_t i = 0; i < program->count; ++i) {
    const struct random_task* t = program->tasks + i;
    const struct cell* a = t->reads[0];
    const struct cell* b = t->reads[1];
    const struct cell* c = t->reads[2];
    struct cell* x = t->writes[0];
    struct cell* y = t->writes[1];
    struct cell* z = t->writes[2];
#pragma omp task in([1] a, [1] b, [1] c), inout([1] x, [1] y, [1] z)
    run_task(t);
    if (t->wait_after) {
#pragma omp taskwait
    }
  }
#pragma omp taskwait
}
