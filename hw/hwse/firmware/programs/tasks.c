/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks: many of one thread, trees with `taskwait`, trees that nobody waits for but the barrier,
 * groups, arguments of several sizes, if(0), loops of tasks; and what `taskwait` waits for. */
#include <omp.h>
#include <string.h>

#include "report.h"

enum { COUNT = 150 };
static unsigned cells[COUNT];

static unsigned digest(void) {
  unsigned sum = 0;
  for (int i = 0; i < COUNT; ++i) sum = sum * 5 + cells[i];
  return sum;
}

static void many(void) {
#pragma omp parallel
#pragma omp single nowait
  for (int i = 0; i < COUNT; ++i) {
#pragma omp task firstprivate(i)
    cells[i] += (unsigned)i * 3;
  }
}

static void of_all_threads(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < COUNT; ++i) {
#pragma omp task firstprivate(i) if (i % 5 != 0)
      cells[i] += 1;
    }
    /* All tasks are done behind the loop's barrier. */
#pragma omp for schedule(dynamic, 8)
    for (int i = 0; i < COUNT; ++i) cells[i] *= 2;
  }
}

static unsigned fibonacci(unsigned n) {
  unsigned a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static unsigned leaves;
static void grow(unsigned depth) {
  if (depth == 0) {
#pragma omp atomic
    leaves += 1;
    return;
  }
  for (unsigned i = 0; i < 3; ++i) {
#pragma omp task firstprivate(depth)
    grow(depth - 1);
  }
}

struct large {
  unsigned words[40]; /* more than a descriptor has room for */
};
struct small {
  unsigned words[10];
};

static unsigned with_arguments(void) {
  unsigned sum = 0;
#pragma omp parallel
#pragma omp single
  for (unsigned i = 0; i < 20; ++i) {
    struct large large;
    struct small small;
    for (unsigned k = 0; k < 40; ++k) large.words[k] = i + k;
    for (unsigned k = 0; k < 10; ++k) small.words[k] = i * k;
#pragma omp task firstprivate(large) shared(sum)
    {
      unsigned part = 0;
      for (unsigned k = 0; k < 40; ++k) part += large.words[k];
#pragma omp atomic
      sum += part;
    }
#pragma omp task firstprivate(small) shared(sum)
    {
      unsigned part = 0;
      for (unsigned k = 0; k < 10; ++k) part += small.words[k];
#pragma omp atomic
      sum += part;
    }
    memset(&large, 0, sizeof(large));
    memset(&small, 0, sizeof(small));
  }
  return sum;
}

static unsigned in_groups(void) {
  unsigned wrong = 0;
#pragma omp parallel
#pragma omp single
  for (unsigned round = 0; round < 5; ++round) {
    unsigned done = 0;
#pragma omp taskgroup
    for (unsigned i = 0; i < 6; ++i) {
#pragma omp task shared(done)
      {
#pragma omp task shared(done)
        {
#pragma omp atomic
          done += 1;
        }
#pragma omp atomic
        done += 1;
      }
    }
    wrong += done != 12;
  }
  return wrong;
}

/* Parted by grains and by numbers of tasks, upwards and downwards, over wide numbers. */
static void add(int i) {
#pragma omp atomic
  cells[i] += (unsigned)i + 1;
}
static unsigned loops_of_tasks(void) {
  const unsigned long long above = 1ULL << 33;
  unsigned early = 0;
  memset(cells, 0, sizeof(cells));
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(7)
    for (int i = 0; i < COUNT; ++i) add(i);
    early += cells[COUNT - 1] == 0;
#pragma omp taskloop num_tasks(4)
    for (int i = COUNT - 1; i >= 3; i -= 3) add(i);
#pragma omp taskloop
    for (unsigned long long i = above; i < above + COUNT; i += 2) add((int)(i - above));
#pragma omp taskloop grainsize(strict : 11)
    for (int i = 0; i < COUNT; ++i) add(i);
#pragma omp taskloop nogroup num_tasks(200)
    for (int i = 0; i < 5; ++i) add(i);
#pragma omp taskloop
    for (int i = 5; i < 5; ++i) add(i);
#pragma omp taskwait
    early += cells[4] == 0;
  }
  return digest() + early;
}

/* Tasks of an inner region, which its one thread runs, end with it. */
static unsigned inner_tasks(void) {
  unsigned missing = 0;
#pragma omp parallel num_threads(2)
  {
    unsigned done = 0;
#pragma omp parallel shared(done)
#pragma omp single nowait
    for (int i = 0; i < 4; ++i) {
#pragma omp task shared(done)
      {
#pragma omp atomic
        done += 1;
      }
    }
#pragma omp atomic
    missing += done != 4;
  }
  return missing;
}

/* Whether `taskwait` waited for a child's child. With one thread the order is fixed; gcc's library
 * then defers nothing, so the host cannot tell. */
static unsigned grandchildren_awaited(void) {
  unsigned awaited = 0;
#ifdef __riscv
  static unsigned born;
#pragma omp parallel num_threads(1)
  {
#pragma omp task shared(born)
    {
#pragma omp task shared(born)
      born = 1;
    }
#pragma omp taskwait
    awaited = born;
  }
  awaited += born == 0; /* the region waits for all */
#endif
  return awaited;
}

int main(void) {
  many();
  report("many", digest());
  of_all_threads();
  report("of all threads", digest());
  unsigned result = 0;
#pragma omp parallel
#pragma omp single
  result = fibonacci(9);
  report("fibonacci", result);
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel
#pragma omp single nowait
    grow(4);
  }
  report("leaves", leaves);
  report("arguments", with_arguments());
  report("groups", in_groups());
  report("loops of tasks", loops_of_tasks());
  report("missing", inner_tasks());
  report("awaited", grandchildren_awaited());
  return 0;
}
