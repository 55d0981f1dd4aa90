// SPDX-License-Identifier: Apache-2.0
// Functions that are declared tasks, and what stands between declarations and tasks.
#include <stdio.h>

//: declared_task
#pragma omp task in([n]from) out([n]to)
static void copy(const int* from, int* to, int n) {
  for (int i = 0; i < n; ++i) to[i] = from[i];
}
void declared_task(void) {
  int a[3] = {1, 2, 3}, b[3], c[3];
  copy(a, b, 3);
  copy(b, c, 3);
#pragma omp taskwait
  printf("%d %d %d\n", c[0], c[1], c[2]);
}
//= 1 2 3
//: declared_before_defined
#pragma omp task inout(*x)
static void multiply(int* x, int by);
static void multiply(int* x, int by) { *x *= by; }
void declared_before_defined(void) {
  int x = 2;
  multiply(&x, 3);
  multiply(&x, 7);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: declared_task_calls_itself
#pragma omp task inout(*x)
static void count(int* x, int n) {
  *x += 1;
  if (n > 1) count(x, n - 1);
}
void declared_task_calls_itself(void) {
  int x = 0;
  count(&x, 10);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 10
//: declared_task_in_a_loop_header
#pragma omp task out(*x)
static void store(int* x, int value) { *x = value; }
void declared_task_in_a_loop_header(void) {
  int a[3];
  for (int i = 0; i < 3; ++i) store(&a[i], i + 1);
#pragma omp taskwait
  printf("%d %d %d\n", a[0], a[1], a[2]);
}
//= 1 2 3
//: declared_task_with_other_names
#pragma omp task inout(*accumulator)
static void accumulate(int* accumulator, int);
static void accumulate(int* sum, int value) { *sum += value; }
void declared_task_with_other_names(void) {
  int x = 40;
  accumulate(&x, 2);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: declared_task_by_pointers_and_macros
#pragma omp task inout(*x)
static void triple(int* x) {
  for (volatile int i = 0; i < 100000; ++i) continue;
  *x *= 3;
}
#pragma omp task inout(*x)
static void less(int* x, int);
static void less(int* x, int by) { *x -= by; }
#define TRIPLE_TWICE(x) (triple(x), triple(x))
static void (*const subtract)(int*, int) = less;
static void apply(void (*function)(int*), int* x) { function(x); }
void declared_task_by_pointers_and_macros(void) {
  int x = 1;
  TRIPLE_TWICE(&x);
  subtract(&x, 2);
  apply(triple, &x);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 21
//: declared_task_in_a_header_without_pragmas
#pragma omp task inout(*x)
void append_digit(int* x, int digit);
#include "plain.h"
void append_digit(int* x, int digit) {
  for (volatile int i = 0; i < 1000000; ++i) continue;
  *x = *x * 10 + digit;
}
void declared_task_in_a_header_without_pragmas(void) {
  int x = 1;
  append_digit(&x, 2);
  append_two_digits(&x, 3, 4);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 1234
//: declared_task_after_its_use
static void halve(int* x) { *x /= 2; }
static int halved(int x) {
  halve(&x);
  return x;
}
#pragma omp task inout(*x)
static void halve(int* x);
void declared_task_after_its_use(void) {
  int x = halved(84 * 4);
  halve(&x);
  halve(&x);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: declared_task_says_its_name
#define SAY() printf("%s %s\n", __func__, __FUNCTION__)
#pragma omp task inout(*x)
static void say(int* x) {
  SAY();
  *x = sizeof(__func__) == 4;
}
void declared_task_says_its_name(void) {
  int x = 0;
  say(&x);
#pragma omp taskwait
  printf("%d %s\n", x, __func__);
}
//= say say
//= 1 declared_task_says_its_name
//: declared_task_of_any_number_of_arguments
//! any number of arguments
#pragma omp task inout(*x)
void sum_up(int* x, ...);
void declared_task_of_any_number_of_arguments(void) {}
//: declared_task_inline
#pragma omp task inout(*x)
//! must be static
inline void inlined(int* x) { *x += 1; }
void declared_task_inline(void) {
  int x = 0;
  inlined(&x);
}
//: declared_locally
void declared_locally(void) {
  void other_halve(float* x, float by);
  extern int other_counter;
  float x = 4;
#pragma omp task inout(x)
  other_halve(&x, 2.0f);
#pragma omp task inout(other_counter)
  {
    other_counter += 40;
  }
#pragma omp taskwait
  printf("%.1f %d\n", x, other_counter);
}
int other_counter = 2;
void other_halve(float* x, float by) { *x /= by; }
//= 2.0 42
//: called_before_its_definition
static void later(int* x);
void called_before_its_definition(void) {
  int x = 0;
#pragma omp task out(x)
  later(&x);
#pragma omp taskwait
  printf("%d\n", x);
}
static void later(int* x) { *x = 42; }
//= 42
//: inline_function
static inline __attribute__((always_inline)) void put(int* x, int value) {
#pragma omp task out(*x)
  *x = value;
}
void inline_function(void) {
  int x = 0;
  put(&x, 42);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: old_style_result
static int *pick(int* a, int i) { return &a[i]; }
void old_style_result(void) {
  int a[2] = {0, 0};
  int* p = pick(a, 1);
#pragma omp task out(*p)
  *p = 42;
#pragma omp taskwait
  printf("%d\n", a[1]);
}
//= 42
//: callback_that_spawns
static void for_each(int n, void (*call)(int, int*), int* data) {
  for (int i = 0; i < n; ++i) call(i, data);
}
static void spawn_one(int i, int* data) {
#pragma omp task inout(*data)
  *data += i;
}
void callback_that_spawns(void) {
  int x = 0;
  for_each(5, spawn_one, &x);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 10
//: attributes_everywhere
static void nothing(int* x __attribute__((unused))) {}
void attributes_everywhere(void) {
  int x __attribute__((aligned(16))) = 41;
#pragma omp task inout(x)
  {
    __attribute__((unused)) int y = 1;
    x += y;
  }
#pragma omp task inout(x)
  nothing(&x);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
