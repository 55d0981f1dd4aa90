// SPDX-License-Identifier: Apache-2.0
// What accesses name: elements, ranges, tiles, members, memory behind pointers.
#include <stdio.h>
#include <stdlib.h>

static int sum_of(const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum;
}

//: overlapping_ranges
void overlapping_ranges(void) {
  int a[10] = {0};
#pragma omp task out(a[0;6])
  for (int i = 0; i < 6; ++i) a[i] = 1;
#pragma omp task inout(a[4;6])
  for (int i = 4; i < 10; ++i) a[i] = 10 * a[i] + 2;
#pragma omp task inout(a[5;1])
  a[5] += 100;
#pragma omp taskwait
  printf("%d %d %d %d\n", a[3], a[4], a[5], a[9]);
}
//= 1 12 112 2
//: inclusive_range
void inclusive_range(void) {
  int a[5] = {0};
#pragma omp task out(a[0 : 2])
  a[0] = a[1] = a[2] = 1;
#pragma omp task inout(a[2 : 4])
  for (int i = 2; i <= 4; ++i) a[i] += 5;
#pragma omp taskwait
  printf("%d %d\n", sum_of(a, 5), a[2]);
}
//= 18 6
//: counted_range_of_depend
void counted_range_of_depend(void) {
  int a[5] = {0};
#pragma omp task depend(out : a[0 : 2]) shared(a)
  a[0] = a[1] = 1;
#pragma omp task depend(inout : a[1 : 2]) shared(a)
  a[1] += 2, a[2] += 2;
#pragma omp taskwait
  printf("%d %d %d\n", a[0], a[1], a[2]);
}
//= 1 3 2
//: open_ranges
void open_ranges(void) {
  int a[6] = {0};
#pragma omp task out(a[:])
  for (int i = 0; i < 6; ++i) a[i] = 1;
#pragma omp task inout(a[3:])
  for (int i = 3; i < 6; ++i) a[i] += 1;
#pragma omp taskwait
  printf("%d\n", sum_of(a, 6));
}
//= 9
//: empty_range
void empty_range(void) {
  int a[4] = {1, 2, 3, 4}, n = 0;
#pragma omp task inout(a[0;n])
  for (int i = 0; i < n; ++i) a[i] = 0;
#pragma omp task inout(a)
  a[0] = 42;
#pragma omp taskwait
  printf("%d\n", a[0]);
}
//= 42
//: empty_unsigned_range
void empty_unsigned_range(void) {
  int a[8] = {0};
  unsigned n = 0;
#pragma omp task inout(a[0 : n - 1])
  for (unsigned i = 0; i < n; ++i) a[i] = 1;
#pragma omp taskwait
  printf("%d\n", a[0]);
}
//= 0
//: shaped_pointer
void shaped_pointer(void) {
  int* p = calloc(6, sizeof *p);
#pragma omp task out([6]p)
  for (int i = 0; i < 6; ++i) p[i] = i;
#pragma omp task inout([2][3]p)
  for (int i = 0; i < 6; ++i) p[i] *= 2;
#pragma omp taskwait
  printf("%d\n", sum_of(p, 6));
  free(p);
}
//= 30
//: tile_of_a_matrix
void tile_of_a_matrix(void) {
  int a[4][6] = {{0}};
#pragma omp task inout(a[0;2][0;3])
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) a[i][j] += 1;
#pragma omp task inout(a[1;3][2;4])
  for (int i = 1; i < 4; ++i)
    for (int j = 2; j < 6; ++j) a[i][j] = 2 * a[i][j] + 1;
#pragma omp taskwait
  printf("%d %d %d\n", a[0][0], a[1][2], a[3][5]);
}
//= 1 3 1
//: tile_of_a_pointer
void tile_of_a_pointer(void) {
  int n = 4, *a = calloc(16, sizeof *a);
  for (int i = 0; i < n; i += 2)
    for (int j = 0; j < n; j += 2) {
#pragma omp task inout([n][n] a [i;2] [j;2])
      for (int k = 0; k < 4; ++k) a[(i + k / 2) * n + j + k % 2] = i + j;
    }
#pragma omp task in([n * n]a) inout(n)
  n = sum_of(a, 16);
#pragma omp taskwait
  printf("%d\n", n);
  free(a);
}
//= 32
//: three_dimensions
void three_dimensions(void) {
  int a[2][3][4] = {{{0}}};
#pragma omp task inout(a[0;2][1;1][0;4])
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 4; ++k) a[i][1][k] = 1;
#pragma omp task in(a[1;1][1;1][3;1]) inout(a[0][0][0])
  a[0][0][0] = a[1][1][3] + 41;
#pragma omp taskwait
  printf("%d\n", a[0][0][0]);
}
//= 42
//: element_with_expression
void element_with_expression(void) {
  int a[10] = {0}, k = 3;
#pragma omp task out(a[2 * k + 1])
  a[2 * k + 1] = 40;
#pragma omp task inout(a[k + 4])
  a[k + 4] += 2;
  k = 0;
#pragma omp taskwait
  printf("%d\n", a[7]);
}
//= 42
//: member_of_an_element
struct item {
  int count;
  double weights[3];
};
void member_of_an_element(void) {
  struct item items[2] = {{0, {0}}, {0, {0}}};
#pragma omp task out(items[1].weights[1;2])
  items[1].weights[1] = items[1].weights[2] = 20.5;
#pragma omp task in(items[1].weights) out(items[0].count)
  items[0].count = 1 + (int)(items[1].weights[1] + items[1].weights[2]);
#pragma omp taskwait
  printf("%d\n", items[0].count);
}
//= 42
//: behind_two_pointers
void behind_two_pointers(void) {
  struct item item = {1, {0}}, *p = &item, **q = &p;
#pragma omp task inout((*q)->count)
  (*q)->count += 20;
#pragma omp task inout(item.count)
  item.count *= 2;
#pragma omp taskwait
  printf("%d\n", item.count);
}
//= 42
//: rows_of_pointers
void rows_of_pointers(void) {
  int* rows[3];
  for (int i = 0; i < 3; ++i) rows[i] = calloc(2, sizeof(int));
  for (int i = 0; i < 3; ++i) {
#pragma omp task out(rows[i][0;2])
    rows[i][0] = rows[i][1] = i;
  }
  for (int i = 1; i < 3; ++i) {
#pragma omp task in([2](rows[i - 1])) inout([2](rows[i]))
    rows[i][0] += rows[i - 1][0];
  }
#pragma omp taskwait
  printf("%d\n", rows[2][0]);
  for (int i = 0; i < 3; ++i) free(rows[i]);
}
//= 3
//: null_pointer
void null_pointer(void) {
  int x = 41, *p = NULL;
#pragma omp task in(*p) inout(x)
  x += p == NULL;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: several_clauses
void several_clauses(void) {
  int a = 1, b = 2, c = 0, d = 0;
#pragma omp task in(a) in(b) out(c) out(d) untied priority(3) label(add)
  c = a + b, d = a - b;
#pragma omp taskwait
  printf("%d %d\n", c, d);
}
//= 3 -1
//: old_spellings
void old_spellings(void) {
  int a = 1, b = 0;
#pragma omp task input(a) output(b)
  b = a + 1;
#pragma omp task concurrent(b)
  b *= 21;
#pragma omp taskwait
  printf("%d\n", b);
}
//= 42
//: depend_kinds
void depend_kinds(void) {
  int a = 1, b = 0;
#pragma omp task depend(in : a) depend(out : b) shared(a, b)
  b = a + 1;
#pragma omp task depend(inout : b) shared(b)
  b *= 21;
#pragma omp taskwait
  printf("%d\n", b);
}
//= 42
//: continued_line
void continued_line(void) {
  int a = 40, b = 0;
#pragma omp task in(a) /* a comment */ \
    out(b) // another
  b = a + 2;
#pragma omp taskwait
  printf("%d\n", b);
}
//= 42
//: repeated_and_nested_items
void repeated_and_nested_items(void) {
  int a[4] = {1, 2, 3, 4};
#pragma omp task in(a[0], a[0;2], a) inout(a[3])
  a[3] += a[0] + a[1] + a[2];
#pragma omp taskwait
  printf("%d\n", a[3]);
}
//= 10
//: blocked_sums
enum { N = 64, B = 16 };
void blocked_sums(void) {
  int a[N], part[N / B], sum = 0;
  for (int i = 0; i < N; i += B) {
#pragma omp task out(a[i;B])
    for (int k = i; k < i + B; ++k) a[k] = k;
#pragma omp task in(a[i;B]) out(part[i / B])
    part[i / B] = sum_of(a + i, B);
  }
#pragma omp task in(part) out(sum)
  sum = sum_of(part, N / B);
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 2016
//: stencil
void stencil(void) {
  int a[2][18] = {{0}};
  a[0][9] = a[1][9] = 1;
  for (int t = 0; t < 6; ++t) {
    int (*from)[18] = &a[t % 2], (*to)[18] = &a[1 - t % 2];
    for (int i = 1; i < 17; i += 4) {
#pragma omp task in((*from)[i - 1;6]) out((*to)[i;4])
      for (int k = i; k < i + 4; ++k) (*to)[k] = (*from)[k - 1] + (*from)[k + 1];
    }
  }
#pragma omp taskwait
  printf("%d %d\n", a[0][9], a[0][7]);
}
//= 20 15
