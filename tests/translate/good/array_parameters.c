/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters written as arrays or functions are pointers; types and variables of one name. */
#include <stdio.h>
#include <stdlib.h>

typedef double four[4];
typedef struct node {
  int value;
  struct node* next;
} node;

static void add(double* a, int n, double x) {
  for (int i = 0; i < n; ++i) a[i] += x;
}
static double half(double x) { return x / 2; }

#pragma omp task inout([n]a)
static void declared(double a[16], int n, double by);
static void declared(double a[16], int n, double by) { add(a, n, by); }

static void blocks(double a[4], four b, int n, double c[], double d[n], double e[2][3],
                   double m[n][n], double apply(double)) {
  __typeof__(a) again = a;
#pragma omp task
  for (int i = 0; i < 4; ++i) a[i] = b[i] = c[i] = d[i] = i + 1;
#pragma omp taskwait
#pragma omp task inout(a, b[0;4], [n]d, e[1][0 : 2]) in((c))
  {
    for (int i = 0; i < n; ++i) again[i] += b[i] + (a + 1)[i - 1] + (*&a)[i];
    for (int i = 0; i < 3; ++i) e[1][i] = apply(d[i]) + c[i];
  }
#pragma omp task inout(m[0;n][0;n])
  m[n - 1][n - 1] = 7;
#pragma omp taskwait on(a, e[0 : 1])
  printf("%g %g %g\n", a[3], e[1][2], (*e)[0]);
#pragma omp taskwait
}

static void calls(double a[16], double b[], float* rows[], int n) {
#pragma omp task inout(a[0;n])
  add(a, n, 1);
#pragma myrmics task inout(a)
  add(a, n, 1);
#pragma omp task inout([n]a)
  add(a, n, 1);
#pragma myrmics task inout(b)
  add(b, n, 1);
  declared(a, n, 1);
  for (int i = 0; i < n; ++i) {
#pragma omp task shared(rows) out(rows[i])
    {
      rows[i] = malloc(sizeof(float));
      *rows[i] = (float)i;
    }
  }
#pragma myrmics wait on(a, b)
  printf("%g %g\n", a[n - 1], b[n - 1]);
#pragma omp taskwait
}

static void shadow(node* next, node* node, const int count, const char* kind) {
#pragma omp task inout(*node, *next) out((kind))
  {
    node->next = next;
    node->value = count + next->value;
    kind = _Generic(node->value, int: "int", default: "other");
  }
#pragma omp taskwait
  printf("%d %s\n", node->value, kind);
}

static void sections(int* a, unsigned n, size_t m, signed char last) {
#pragma omp task inout(a[0 : n - 1], a[0 : m - 1], a[1 : last])
  for (unsigned i = 0; i < n; ++i) a[i] += 1;
}

int main(void) {
  double a[16] = {0}, b[4], c[4], d[4], e[2][3] = {{0}}, m[4][4] = {{0}};
  float* rows[8] = {0};
  node x = {2, NULL}, y = {0, NULL};
  int numbers[8] = {0};
  blocks(a, b, 4, c, d, e, m, half);
  calls(a, b, rows, 4);
  printf("%g %g\n", m[3][3], (double)*rows[3]);
  shadow(&x, &y, 1, "");
  sections(numbers, 0, 0, 0);
  sections(numbers, 8, 8, 7);
#pragma omp taskwait
  printf("%d\n", numbers[7]);
  for (int i = 0; i < 4; ++i) free(rows[i]);
  return 0;
}
