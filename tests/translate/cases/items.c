// SPDX-License-Identifier: Apache-2.0
// Clauses with as many items as the program says, weak accesses, and words without effect.
#include <stdio.h>
#include <stdlib.h>

static void set(int* to, int value) { *to = value; }
static void add(int* to, int value) { *to += value; }

//: items_by_index
void items_by_index(void) {
  int a[6], sum = 0;
  for (int i = 0; i < 6; ++i) {
#pragma omp task out(a[i])
    set(&a[i], 2 * i + 2);
  }
#pragma omp task in({a[k], k = 0; 6}) out(sum)
  for (int k = 0; k < 6; ++k) sum += a[k];
#pragma omp taskwait on(sum)
  printf("%d\n", sum);
#pragma omp taskwait
}
//= 42
//: items_that_are_written
void items_that_are_written(void) {
  int* a = malloc(8 * sizeof(int));
  int n = 8, sum = 0;
#pragma omp task out({a[i], i = 0 : n - 1})
  for (int i = 0; i < n; ++i) a[i] = i + 1;
  for (int i = 0; i < 8; ++i) {
#pragma omp task inout(a[i])
    add(&a[i], 1);
  }
#pragma omp task in({a[i], i = 0; n}) out(sum)
  for (int i = 0; i < n; ++i) sum += a[i];
  n = 0;
#pragma omp taskwait
  printf("%d\n", sum);
  free(a);
}
//= 44
//: items_that_are_sections
void items_that_are_sections(void) {
  int a[12] = {0}, sum = 0;
  for (int i = 0; i < 12; i += 2) {
#pragma omp task out(a[i;2])
    {
      a[i] = 3;
      a[i + 1] = 4;
    }
  }
#pragma omp task in({a[4 * k; 4], k = 0; 3}) out(sum)
  for (int i = 0; i < 12; ++i) sum += a[i];
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 42
//: items_behind_pointers
void items_behind_pointers(void) {
  int x = 1, y = 2, z = 3;
  int* p[3] = {&x, &y, &z};
#pragma omp task inout({*p[i], i = 0; 3})
  for (int i = 0; i < 3; ++i) *p[i] *= 7;
  p[0] = &y;
#pragma omp task in(x, y, z)
  printf("%d\n", x + y + z);
#pragma omp taskwait
}
//= 42
//: items_of_a_matrix
void items_of_a_matrix(void) {
  int m[3][4] = {{0}}, sum = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
#pragma omp task out(m[i][j])
      set(&m[i][j], i + j + 1);
    }
  }
#pragma omp task in({m[i][j], i = 0; 3, j = 0; 4}) out(sum)
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) sum += m[i][j];
  }
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 42
//: no_items
void no_items(void) {
  int a[2] = {40, 0}, none = 0;
#pragma omp task out({a[i], i = 0; none}) inout(a[1])
  add(&a[1], 2);
#pragma omp taskwait on({a[i], i = 0; 2})
  printf("%d\n", a[0] + a[1]);
}
//= 42
//: items_of_a_declaration
#pragma omp task inout({a[i], i = 0; n})
static void double_all(int* a, int n) {
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
void items_of_a_declaration(void) {
  int a[3] = {1, 2, 3};
  double_all(a, 3);
  double_all(a + 1, 2);
#pragma omp taskwait on(a)
  printf("%d %d %d\n", a[0], a[1], a[2]);
}
//= 2 8 12
//: items_inside_a_task
void items_inside_a_task(void) {
  int a[4] = {1, 2, 3, 4}, sum = 0;
#pragma omp task inout(a, sum)
  {
    int n = 4;
    for (int i = 0; i < n; ++i) {
#pragma omp task inout(a[i])
      add(&a[i], 8);
    }
#pragma omp task in({a[i], i = 0; n}) inout(sum)
    for (int i = 0; i < 4; ++i) sum += a[i];
  }
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 42
//: weak_parents_in_order
void weak_parents_in_order(void) {
  int a[4] = {0}, seen = 0;
  for (int round = 0; round < 3; ++round) {
#pragma omp task weakinout(a) firstprivate(round) shared(a)
    for (int i = 0; i < 4; ++i) {
#pragma omp task inout(a[i])
      a[i] = 2 * a[i] + round;
    }
  }
#pragma omp task in(a) out(seen)
  seen = a[0] + a[1] + a[2] + a[3];
#pragma omp taskwait
  printf("%d\n", seen);
}
//= 16
//: weak_producer_and_consumer
static void produce(int* to, int n) {
  for (int i = 0; i < n; ++i) {
#pragma omp task out(to[i])
    set(&to[i], i + 4);
  }
}
static void consume(const int* from, int n, int* sum) {
  for (int i = 0; i < n; ++i) {
#pragma omp task in(from[i]) inout(*sum)
    add(sum, from[i]);
  }
}
void weak_producer_and_consumer(void) {
  int a[7], sum = 0;
#pragma omp task weakout(a)
  produce(a, 7);
#pragma omp task weakin(a) weakinout(sum)
  consume(a, 7, &sum);
#pragma omp taskwait
  printf("%d\n", sum - 7);
}
//= 42
//: words_without_effect
void words_without_effect(void) {
  int x = 0;
#pragma omp target device(smp) copy_deps
#pragma omp task inout(x) copy_deps
  add(&x, 20);
#pragma omp task inout(x) no_copy_deps label(second) priority(3)
  {
    int y = x;
    x = y + 1;
  }
#pragma omp task inout(x) untied cost(5)
  x *= 2;
#pragma omp taskwait noflush
  printf("%d\n", x);
}
//= 42
//: wait_for_a_place_without_flush
void wait_for_a_place_without_flush(void) {
  int x = 0;
#pragma omp task out(x)
  set(&x, 42);
#pragma omp taskwait on(x) noflush
  printf("%d\n", x);
}
//= 42
