// SPDX-License-Identifier: Apache-2.0
// The form of Myrmics: arguments of calls, regions.
#include <myr/myr.h>
#include <stdio.h>

static void set(int* to, int value) { *to = value; }
static void add_to(int* to, const int* from) { *to += *from; }

//: myrmics_call
void myrmics_call(void) {
  int value = 0, two = 2, *x = &value, *y = &two;
#pragma myrmics task out(x)
  set(x, 40);
#pragma myrmics task inout(x) in(y)
  add_to(x, y);
#pragma myrmics wait
  printf("%d\n", value);
}
//= 42
//: myrmics_without_the_word
void myrmics_without_the_word(void) {
  int value = 0, *x = &value;
#pragma myrmics out(x)
  set(x, 42);
#pragma myrmics wait on(x)
  printf("%d\n", *x);
#pragma myrmics wait
}
//= 42
//: myrmics_object
void myrmics_object(void) {
  int* a = (int*)myr_alloc(4 * sizeof(int), MYR_ROOT);
  for (int i = 0; i < 4; ++i) a[i] = 10;
#pragma myrmics task inout(a)
  set(a + 1, 11);
#pragma myrmics task inout(a)
  add_to(a, a + 1);
#pragma myrmics wait on(a)
  printf("%d\n", a[0]);
  myr_free(a);
}
//= 21
//: myrmics_region
static void sum_region(myr_region r, int* const* all, int n, int* to) {
  (void)r;
  *to = 0;
  for (int i = 0; i < n; ++i) *to += *all[i];
}
void myrmics_region(void) {
  myr_region r = myr_region_new(MYR_ROOT, 0);
  int* all[4];
  static int sum;
  for (int i = 0; i < 4; ++i) {
    all[i] = (int*)myr_alloc(sizeof(int), r);
    int* one = all[i];
#pragma myrmics task out(one)
    set(one, i + 1);
  }
  int* to = &sum;
  int* const* list = all;
#pragma myrmics task in(region r) safe(list) out(to)
  sum_region(r, list, 4, to);
#pragma myrmics wait
  printf("%d\n", sum);
  myr_region_free(r);
}
//= 10
//: myrmics_notransfer
static void hand_on(int* x) {
#pragma myrmics task inout(x)
  set(x, 42);
}
void myrmics_notransfer(void) {
  int value = 0, *x = &value;
#pragma myrmics task inout(x) notransfer(x)
  hand_on(x);
#pragma myrmics wait
  printf("%d\n", value);
}
//= 42
//: both_forms
void both_forms(void) {
  int x = 0;
#pragma omp task out(x)
  x = 40;
  int two = 2, *p = &x, *y = &two;
#pragma myrmics task inout(p) in(y)
  add_to(p, y);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
