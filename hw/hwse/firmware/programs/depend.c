/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks with dependences: a chain, graphs at random whose result is that of the tasks one after the
 * other, also inside of tasks, more than there is room for, and two that must run side by side. */
#include <omp.h>

#include "report.h"

enum { CELLS = 12, STEPS = 60, INNER = 4, INNER_STEPS = 20 };
struct cells {
  unsigned value[CELLS];
};

static unsigned chain(void) {
  unsigned value = 1;
#pragma omp parallel
#pragma omp single
  for (unsigned i = 0; i < 12; ++i) {
#pragma omp task depend(inout : value) shared(value) firstprivate(i)
    value = value * 3 + i;
  }
  return value;
}

static unsigned next_random(unsigned* state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

static void work(void) {
  for (unsigned i = 0; i < 20; ++i) __asm__ volatile("nop");
}

/* Each task makes a cell from itself and two others, of which any may be the same. */
static void spawn_graph(struct cells* cells, unsigned seed, unsigned steps) {
  unsigned state = seed;
  for (unsigned i = 0; i < steps; ++i) {
    unsigned* const to = &cells->value[next_random(&state) % CELLS];
    const unsigned* const a = &cells->value[next_random(&state) % CELLS];
    const unsigned* const b = &cells->value[next_random(&state) % CELLS];
    const unsigned kind = next_random(&state) % 8;
    if (kind < 2) { /* readers side by side */
#pragma omp task depend(in : *a, *b) depend(mutexinoutset : *to) firstprivate(to, a, b, i)
      {
        work();
        *to = *to * 5 + *a - *b + i;
      }
    } else if (kind == 2) {
#pragma omp task depend(inout : *to) if (0) firstprivate(to, i)
      *to = *to * 7 + i;
    } else {
#pragma omp task depend(in : *a, *b) depend(inout : *to) firstprivate(to, a, b, i)
      {
        work();
        *to = *to * 3 + *a + 2 * *b + i;
      }
    }
  }
}

static unsigned digest(const struct cells* cells) {
  unsigned sum = 0;
  for (unsigned i = 0; i < CELLS; ++i) sum = sum * 31 + cells->value[i];
  return sum;
}

static unsigned graph(unsigned seed) {
  struct cells cells = {{seed}};
#pragma omp parallel
#pragma omp single
  spawn_graph(&cells, seed, STEPS);
  return digest(&cells);
}

/* Graphs of several tasks: equal addresses of different parents are not ordered, so each has cells
 * of its own. */
static unsigned inner_graphs(void) {
  static struct cells cells[INNER];
  unsigned sum = 0;
#pragma omp parallel
#pragma omp single
  for (unsigned i = 0; i < INNER; ++i) {
#pragma omp task firstprivate(i)
    spawn_graph(&cells[i], i + 1, INNER_STEPS);
  }
  for (unsigned i = 0; i < INNER; ++i) sum = sum * 17 + digest(&cells[i]);
  return sum;
}

/* Readers of one word, that wait for each other if there are threads for both. */
static unsigned side_by_side(void) {
  unsigned here[2] = {0, 0};
  unsigned word = 5, sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    const int both = omp_get_num_threads() == 3;
#pragma omp task depend(out : word) shared(word)
    word = 6;
    for (unsigned i = 0; i < 2; ++i) {
#pragma omp task depend(in : word) shared(here, word, sum) firstprivate(i, both)
      {
        unsigned other = !both;
#pragma omp atomic write
        here[i] = 1;
        while (!other) {
          work();
#pragma omp atomic read
          other = here[1 - i];
        }
#pragma omp atomic
        sum += word;
      }
    }
#pragma omp task depend(inout : word) shared(word)
    word += 1;
  }
  return sum * 10 + word;
}

int main(void) {
  report("chain", chain());
  for (unsigned seed = 1; seed <= 2; ++seed) report("graph", graph(seed));
  report("inner graphs", inner_graphs());
  report("side by side", side_by_side());
  return 0;
}
