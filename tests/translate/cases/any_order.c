/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that use memory in any order: one at a time, or at once.
 */
#include <stdio.h>

/* Loses the changes of others, if there are any in between. */
static void add_slowly(int* sum, int value) {
  volatile int old = *sum;
  for (volatile int i = 0; i < 200; i = i + 1) {
  }
  *sum = old + value;
}
//: commutative_variable
void commutative_variable(void) {
  int sum = 100;
  for (int i = 1; i <= 100; ++i) {
#pragma omp task commutative(sum)
    add_slowly(&sum, i);
  }
#pragma omp task in(sum)
  printf("%d\n", sum);
#pragma omp taskwait
}
//= 5150
//: commutative_block
void commutative_block(void) {
  int sum = 0, product = 1;
  for (int i = 1; i <= 6; ++i) {
#pragma omp task commutative(sum, product)
    {
      add_slowly(&sum, i);
      product *= i;
    }
  }
#pragma omp taskwait on(sum, product)
  printf("%d %d\n", sum, product);
}
//= 21 720
//: commutative_between_writers
void commutative_between_writers(void) {
  int x = 5;
#pragma omp task out(x)
  x = 10;
  for (int i = 0; i < 20; ++i) {
#pragma omp task commutative(x)
    add_slowly(&x, 1);
  }
#pragma omp task inout(x)
  x *= 2;
  for (int i = 0; i < 20; ++i) {
#pragma omp task commutative(x)
    add_slowly(&x, 2);
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 100
//: commutative_sections
void commutative_sections(void) {
  int a[16] = {0}, total = 0;
  for (int i = 0; i < 48; ++i) {
    int first = i % 13;
#pragma omp task commutative(a[first;4])
    for (int j = first; j < first + 4; ++j) add_slowly(&a[j], 1);
  }
#pragma omp taskwait
  for (int i = 0; i < 16; ++i) total += a[i];
  printf("%d\n", total);
}
//= 192
//: commutative_tiles
void commutative_tiles(void) {
  int m[4][4] = {{0}}, total = 0;
  for (int i = 0; i < 18; ++i) {
    int row = i % 3, column = i / 3 % 3;
#pragma omp task commutative(m[row;2][column;2])
    for (int j = 0; j < 4; ++j) add_slowly(&m[row + j / 2][column + j % 2], 1);
  }
#pragma omp taskwait
  for (int i = 0; i < 16; ++i) total += m[i / 4][i % 4];
  printf("%d\n", total);
}
//= 72
//: commutative_declared
#pragma omp task commutative(*sum)
void add_declared(int* sum, int value);
void add_declared(int* sum, int value) { add_slowly(sum, value); }
void commutative_declared(void) {
  int sum = 0;
  for (int i = 0; i < 50; ++i) add_declared(&sum, i);
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 1225
//: commutative_with_children
void commutative_with_children(void) {
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
#pragma omp task commutative(sum)
    {
      add_slowly(&sum, 1);
#pragma omp task inout(sum)
      add_slowly(&sum, 2);
    }
  }
#pragma omp taskwait on(sum)
  printf("%d\n", sum);
}
//= 60
//: commutative_at_once
void commutative_at_once(void) {
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
#pragma omp task commutative(sum) if(i % 2)
    add_slowly(&sum, 1);
#pragma omp task commutative(sum) final(i % 3 == 0)
    add_slowly(&sum, 2);
  }
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 60
//: commutative_twice
void commutative_twice(void) {
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
#pragma omp task commutative(sum) in(sum)
    add_slowly(&sum, 1);
  }
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 10
//: commutative_items
void commutative_items(void) {
  int a[6] = {0};
  for (int i = 0; i < 12; ++i) {
#pragma omp task commutative({a[j], j=0;6})
    for (int j = 0; j < 6; ++j) add_slowly(&a[j], j);
  }
#pragma omp taskwait
  printf("%d %d\n", a[1], a[5]);
}
//= 12 60
//: concurrent_counter
void concurrent_counter(void) {
  int hits = 3, copy = 0;
  for (int i = 0; i < 100; ++i) {
#pragma omp task concurrent(hits)
    __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
  }
#pragma omp task in(hits) out(copy)
  copy = hits;
#pragma omp task inout(hits)
  hits = -1;
#pragma omp taskwait
  printf("%d %d\n", copy, hits);
}
//= 103 -1
//: concurrent_with_critical
void concurrent_with_critical(void) {
  int sum = 0;
  for (int i = 0; i < 40; ++i) {
#pragma omp task concurrent(sum)
    {
#pragma omp critical
      add_slowly(&sum, i);
    }
  }
#pragma omp taskwait on(sum)
  printf("%d\n", sum);
}
//= 780
//: concurrent_parts
void concurrent_parts(void) {
  int a[8] = {0}, sum = 0;
  for (int i = 0; i < 8; ++i) {
#pragma omp task concurrent([8]a)
    a[i] = i;
  }
#pragma omp task in(a) out(sum)
  for (int i = 0; i < 8; ++i) sum += a[i];
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 28
//: omp_sets
void omp_sets(void) {
  int sum = 0, parts[10] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(inoutset : parts)
      parts[i] = i;
#pragma omp task depend(mutexinoutset : sum)
      add_slowly(&sum, i);
    }
#pragma omp taskwait depend(mutexinoutset : sum)
#pragma omp task depend(inout : sum, parts)
    for (int i = 0; i < 10; ++i) sum += parts[i];
  }
  printf("%d\n", sum);
}
//= 90
