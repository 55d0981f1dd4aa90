// SPDX-License-Identifier: Apache-2.0
// Parameters of array type are pointers; tasks of their elements change the caller's array.
#include <stdio.h>
#include <stdlib.h>

static void print_all(const double* a, int n) {
  for (int i = 0; i < n; ++i) printf("%g%s", a[i], i + 1 < n ? " " : "\n");
}
static void increase(double* a, int n, double by) {
  for (int i = 0; i < n; ++i) a[i] += by;
}

//: sized_parameter_shared_pointers
static void fill_rows(float* rows[], int n) {
  for (int i = 0; i < n; ++i) {
#pragma omp task shared(rows)
    {
      rows[i] = malloc(sizeof(float));
      *rows[i] = (float)i;
    }
  }
#pragma omp taskwait
}
void sized_parameter_shared_pointers(void) {
  float* rows[4] = {0};
  fill_rows(rows, 4);
  for (int i = 0; i < 4; ++i) printf("%g%s", rows[i] ? *rows[i] : -1, i < 3 ? " " : "\n");
  for (int i = 0; i < 4; ++i) free(rows[i]);
}
//= 0 1 2 3
//: sized_parameter_by_default
static void count_up(double a[5]) {
#pragma omp task
  for (int i = 0; i < 5; ++i) a[i] = i;
#pragma omp taskwait
}
void sized_parameter_by_default(void) {
  double a[5] = {9, 9, 9, 9, 9};
  count_up(a);
  print_all(a, 5);
}
//= 0 1 2 3 4
//: unsized_parameter_by_default
static void count_down(double a[], int n) {
#pragma omp task
  for (int i = 0; i < n; ++i) a[i] = n - i;
#pragma omp taskwait
}
void unsized_parameter_by_default(void) {
  double a[3] = {0};
  count_down(a, 3);
  print_all(a, 3);
}
//= 3 2 1
//: matrix_parameter
static void fill_row(double a[2][3]) {
#pragma omp task
  for (int i = 0; i < 3; ++i) a[1][i] = i + 1;
#pragma omp taskwait
}
void matrix_parameter(void) {
  double a[2][3] = {{0}};
  fill_row(a);
  print_all(a[1], 3);
}
//= 1 2 3
//: variable_length_parameter
static void fill_all(int n, double a[n]) {
#pragma omp task inout(a[0;n])
  for (int i = 0; i < n; ++i) a[i] = 2 * i;
#pragma omp taskwait
}
void variable_length_parameter(void) {
  double a[4] = {0};
  fill_all(4, a);
  print_all(a, 4);
}
//= 0 2 4 6
//: section_of_sized_parameter
static void fill_part(double a[6]) {
#pragma omp task inout(a[1;4])
  for (int i = 1; i < 5; ++i) a[i] = i;
#pragma omp taskwait
}
void section_of_sized_parameter(void) {
  double a[6] = {0};
  fill_part(a);
  print_all(a, 6);
}
//= 0 1 2 3 4 0
//: call_with_sized_parameter
static void increase_twice(double a[4]) {
#pragma omp task inout(a[0;4])
  increase(a, 4, 1);
#pragma omp task inout([4]a)
  increase(a, 4, 10);
#pragma omp taskwait on(a[0;4])
  print_all(a, 4);
#pragma omp taskwait
}
void call_with_sized_parameter(void) {
  double a[4] = {0, 1, 2, 3};
  increase_twice(a);
}
//= 11 12 13 14
//: declared_with_sized_parameter
#pragma omp task inout([n]a)
static void increase_task(double a[16], int n, double by) { increase(a, n, by); }
static void spawn_increases(double a[16]) {
  increase_task(a, 3, 1);
  increase_task(a, 3, 2);
#pragma omp taskwait
}
void declared_with_sized_parameter(void) {
  double a[16] = {0};
  spawn_increases(a);
  print_all(a, 3);
}
//= 3 3 3
//: myrmics_with_sized_parameter
static void increase_by_myrmics(double a[4]) {
#pragma myrmics task inout(a)
  increase(a, 1, 1);
#pragma myrmics task inout(a)
  increase(a, 1, 2);
#pragma myrmics wait on(a)
  printf("%g\n", a[0]);
}
void myrmics_with_sized_parameter(void) {
  double a[4] = {0};
  increase_by_myrmics(a);
#pragma myrmics wait
}
//= 3
//: qualified_array_parameter
static void fill_static(double a[static 2]) {
#pragma omp task out(a[0;2])
  a[0] = 1, a[1] = 2;
#pragma omp taskwait
}
void qualified_array_parameter(void) {
  double a[2] = {0};
  fill_static(a);
  print_all(a, 2);
}
//= 1 2
//: typedef_array_parameter
typedef double triple[3];
static void fill_triple(triple a) {
#pragma omp task out(a[0;3])
  for (int i = 0; i < 3; ++i) a[i] = 3 - i;
#pragma omp taskwait
}
void typedef_array_parameter(void) {
  triple a = {0};
  fill_triple(a);
  print_all(a, 3);
}
//= 3 2 1
//: function_parameter
static double half(double x) { return x / 2; }
static void map(double* a, int n, double f(double)) {
#pragma omp task inout([n]a)
  for (int i = 0; i < n; ++i) a[i] = f(a[i]);
#pragma omp taskwait
}
void function_parameter(void) {
  double a[2] = {2, 4};
  map(a, 2, half);
  print_all(a, 2);
}
//= 1 2
//: pointer_to_matrix_row
static void clear_row(int n, double (*row)[n]) {
#pragma omp task inout([n](*row))
  for (int i = 0; i < n; ++i) (*row)[i] = 0;
#pragma omp taskwait
}
void pointer_to_matrix_row(void) {
  double a[2][2] = {{1, 2}, {3, 4}};
  clear_row(2, &a[0]);
  print_all(&a[0][0], 4);
}
//= 0 0 3 4
//: pointer_moved_by_the_spawner
void pointer_moved_by_the_spawner(void) {
  double a[4] = {0}, *p = a;
  for (int i = 0; i < 4; ++i, ++p) {
#pragma omp task out(*p)
    *p = i;
  }
#pragma omp taskwait
  print_all(a, 4);
}
//= 0 1 2 3
//: const_parameter
static void keep_first(const double* const a, double* const to) {
#pragma omp task in(*a) out(*to)
  *to = *a;
#pragma omp taskwait
}
void const_parameter(void) {
  double a = 42, b = 0;
  keep_first(&a, &b);
  print_all(&b, 1);
}
//= 42
//: restrict_parameter
static void copy_all(double* restrict to, const double* restrict from, int n) {
#pragma omp task in([n]from) out([n]to)
  for (int i = 0; i < n; ++i) to[i] = from[i];
#pragma omp taskwait
}
void restrict_parameter(void) {
  double a[3] = {1, 2, 3}, b[3] = {0};
  copy_all(b, a, 3);
  print_all(b, 3);
}
//= 1 2 3
