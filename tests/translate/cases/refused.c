// SPDX-License-Identifier: Apache-2.0
// What has no meaning, or none that could be kept: refused at its line.
#include <stdio.h>

static void set(int* to, int value) { *to = value; }

//: pointer_by_itself
void pointer_by_itself(void) {
  int x = 0, *p = &x;
  //! p
#pragma omp task inout(p)
  set(p, 1);
#pragma omp taskwait
}
//: unknown_clause
void unknown_clause(void) {
  int x = 0;
  //! sometimes
#pragma omp task inout(x) sometimes(x)
  x = 1;
#pragma omp taskwait
}
//: unknown_name
void unknown_name(void) {
  int x = 0;
  //! y
#pragma omp task inout(y)
  x = 1;
#pragma omp taskwait
}
//: return_from_a_block
void return_from_a_block(void) {
  int x = 0;
#pragma omp task inout(x)
  {
    x = 1;
    //! return
    return;
  }
}
//: break_out_of_a_block
void break_out_of_a_block(void) {
  int x = 0;
  for (;;) {
#pragma omp task inout(x)
    {
      x = 1;
      //! break
      break;
    }
  }
}
//: goto_out_of_a_block
void goto_out_of_a_block(void) {
  int x = 0;
#pragma omp task inout(x)
  {
    x = 1;
    //! goto
    goto out;
  }
out:;
}
//: goto_into_a_block
void goto_into_a_block(void) {
  int x = 0;
  goto in;
#pragma omp task inout(x)
  {
    //!
  in:
    x = 1;
  }
}
//: result_of_a_task
//! void
#pragma omp task inout(*x)
static int result_of(int* x) { return *x += 1; }
void result_of_a_task(void) {
  int x = 0;
  x = result_of(&x);
}
//: nothing_to_be_a_task
void nothing_to_be_a_task(void) {
  int x = 0;
  set(&x, 1);
#pragma omp task inout(x)
  //!
}
//: wait_without_braces
void wait_without_braces(void) {
  int x = 0;
  if (x >= 0)
    //! braces
#pragma omp taskwait
    x = 1;
}
//: unfinished_clause
void unfinished_clause(void) {
  int x = 0;
  //!
#pragma omp task inout(x
  set(&x, 1);
}
//: missing_in_default_none
void missing_in_default_none(void) {
  int x = 0, y = 1;
#pragma omp task default(none) shared(x)
  //! y
  x = y;
#pragma omp taskwait
}
//: section_of_a_number
void section_of_a_number(void) {
  int x = 0;
  //!
#pragma omp task inout(x[0;3])
  set(&x, 1);
}
//: declaration_as_a_task
void declaration_as_a_task(void) {
  int x = 0;
#pragma omp task inout(x)
  //!
  int y = x;
  (void)y;
}
//: masked_by_other_threads
void masked_by_other_threads(void) {
  int x = 0;
#pragma omp parallel
  {
    //! number 0
#pragma omp masked filter(1)
    x = 1;
  }
#pragma omp task inout(x)
  x = 2;
#pragma omp taskwait
}
//: strict_grain
void strict_grain(void) {
  int a[10];
  //! strict
#pragma omp taskloop grainsize(strict : 3) shared(a)
  for (int i = 0; i < 10; ++i) a[i] = i;
}
//: address_in_an_inner_head
static void visit_all(int first, int n) {
#pragma omp taskloop collapse(2)
  for (int i = 0; i < n; ++i)
    //! take the address before the pragma
    for (int *p = &first; p < &first + 1; ++p) *p = i;
}
void address_in_an_inner_head(void) { visit_all(0, 1); }
//: aligned_copy
void aligned_copy(void) {
  int wide[64] __attribute__((aligned(256))) = {0};
  int x = 0;
#pragma omp task inout(x) firstprivate(wide)
  //! aligned
  x = wide[0];
#pragma omp taskwait
}
//: nest_lock
typedef struct { int opaque[8]; } omp_nest_lock_t;
int omp_test_nest_lock(omp_nest_lock_t*);
void nest_lock(void) {
  static omp_nest_lock_t lock;
#pragma omp task shared(lock)
  //! omp_test_nest_lock
  omp_test_nest_lock(&lock);
#pragma omp taskwait
}
//: part_of_a_variable
void part_of_a_variable(void) {
  int a[4] = {0};
  //! not of a part of one
#pragma omp task firstprivate(a[1])
  a[1] = 1;
}
//: first_and_last
void first_and_last(void) {
  int x = 1;
  //! firstprivate() as well
#pragma omp taskloop firstprivate(x) lastprivate(x)
  for (int i = 0; i < 10; ++i) x += i;
}
//: loop_that_ends_for_two_reasons
void loop_that_ends_for_two_reasons(void) {
  int n = 10, go = 1;
#pragma omp taskloop
  //! expected a loop like
  for (int i = 0; i < n && go; i++) set(&go, i);
}
//: loop_with_two_steps
void loop_with_two_steps(void) {
  int last = 0;
#pragma omp taskloop
  //! expected a loop like
  for (int i = 10; i > 0; i = i - 2 - 1) set(&last, i);
}
//: loop_with_a_shifted_step
void loop_with_a_shifted_step(void) {
  int last = 0;
#pragma omp taskloop
  //! expected a loop like
  for (int i = 1; i < 100; i = i + 1 << 1) set(&last, i);
}
//: loop_up_to_a_fraction
void loop_up_to_a_fraction(void) {
  double end = 4.5;
  int last = 0;
#pragma omp taskloop
  //! expected a loop like
  for (int i = 0; i < end; i++) set(&last, i);
}
