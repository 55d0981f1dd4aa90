// SPDX-License-Identifier: Apache-2.0
// The preprocessor around tasks: macros, conditions, includes, odd spacing.
#include <stdio.h>

static void add(int* to, int value) { *to += value; }

//: macro_as_argument
#define LENGTH 4
#define FIRST(a) ((a)[0])
void macro_as_argument(void) {
  int a[LENGTH] = {1, 2, 3, 4};
#pragma omp task inout(a[0;LENGTH])
  add(&FIRST(a), LENGTH);
#pragma omp taskwait
  printf("%d\n", a[0]);
}
//= 5
//: macro_in_the_pragma
#define PART(p, n) p[0;n]
void macro_in_the_pragma(void) {
  int a[3] = {1, 2, 3}, *p = a;
#pragma omp task inout([LENGTH - 1]p)
  add(p, 41);
#pragma omp taskwait
  printf("%d\n", a[0]);
}
//= 42
//: macro_as_callee
#define CHANGE add
void macro_as_callee(void) {
  int x = 0;
#pragma omp task inout(x)
  CHANGE(&x, 42);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: macro_as_statement
#define ADD(x, y) add(&(x), (y))
void macro_as_statement(void) {
  int x = 0;
#pragma omp task inout(x)
  ADD(x, 42);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: macro_as_loop
#define REPEAT(n) for (int macro_i = 0; macro_i < (n); ++macro_i)
void macro_as_loop(void) {
  int x = 0;
#pragma omp task inout(x)
  REPEAT(6) x += 7;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: macro_around_a_pragma_free_block
#define BOTH(a, b) \
  do {             \
    a;             \
    b;             \
  } while (0)
void macro_around_a_pragma_free_block(void) {
  int x = 0;
#pragma omp task inout(x)
  BOTH(x += 40, x += 2);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: macro_of_two_statements
#define FIRST_AND_SECOND(p) add(p, 40); second(p)
static int seen_by_main;
static void second(int* p) {
  (void)p;
  seen_by_main += 1;
}
void macro_of_two_statements(void) {
  int x = 2;
#pragma omp task inout(x)
  //? macro
  FIRST_AND_SECOND(&x);
  seen_by_main += 1;
#pragma omp taskwait
  printf("%d %d\n", x, seen_by_main);
}
//= 42 2
//: stringized_operator
#define DO(text) _Pragma(#text)
void stringized_operator(void) {
  int x = 41;
#pragma omp task inout(x)
  add(&x, 1);
  //? _Pragma
  DO(omp taskwait)
  printf("%d\n", x);
}
//= 42
//: operator_written_out
void operator_written_out(void) {
  int x = 41;
  //? _Pragma
  _Pragma("omp task inout(x)")
  add(&x, 1);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: operator_of_others
void operator_of_others(void) {
  _Pragma("GCC diagnostic push") int x = 41;
#pragma omp task inout(x)
  add(&x, 1);
#pragma omp taskwait
  _Pragma("GCC diagnostic pop") printf("%d\n", x);
}
//= 42
//: variable_renamed_in_a_string
#define SHOW(x) printf("%s=%d\n", #x, x)
void variable_renamed_in_a_string(void) {
  int value = 42;
#pragma omp task inout(value)
  SHOW(value);
#pragma omp taskwait
}
//= value=42
//: variable_that_only_a_macro_names
#define ONE_MORE (count + 1)
void variable_that_only_a_macro_names(void) {
  int count = 40, twice[2] = {1, 2};
#define TWICE (twice[0] + twice[0])
#pragma omp task inout(count)
  {
    count = ONE_MORE;
    count = ONE_MORE - 2 + TWICE;
  }
#pragma omp taskwait
  printf("%d\n", count);
}
//= 42
//: names_in_strings
#define SUM(a, b) (a + b)
void names_in_strings(void) {
  int value = 40, other = 2;
#pragma omp task inout(value, other)
  {
    if (value) SHOW(value +
                    other);
    SHOW(SUM(value, other)), SHOW(other);
#pragma omp task inout(value)
    SHOW(value);
#pragma omp taskwait
    value = __LINE__;
    SHOW(value == __LINE__ - 1);
  }
#pragma omp taskwait
}
//= value + other=42
//= SUM(value, other)=42
//= other=2
//= value=40
//= value == __LINE__ - 1=1
//: member_of_the_same_name
struct node {
  int best;
};
#define BEST(p, x) ((p)->best > (x) ? (p)->best : (x))
void member_of_the_same_name(void) {
  struct node n = {42};
  int best = 1;
#pragma omp task inout(best)
  best = BEST(&n, best);
#pragma omp taskwait
  printf("%d\n", best);
}
//= 42
//: member_of_the_same_name_and_a_string
struct leaf {
  int best;
};
#define SHOW_BOTH(p, x) printf("%s=%d\n", #x, (p)->best + (x))
void member_of_the_same_name_and_a_string(void) {
  struct leaf n = {41};
  int best = 1;
#pragma omp task inout(best)
  SHOW_BOTH(&n, best);
#pragma omp taskwait
}
//= best=42
//: macro_that_changes_behind_the_task
#define ONE 1
void macro_that_changes_behind_the_task(void) {
  int x = 0;
#define STEP (ONE)
#pragma omp task inout(x)
  x += STEP;
#undef ONE
#define ONE 20
#pragma omp taskwait
  printf("%d\n", x);
}
//= 1
//: macro_that_changes_behind_a_call
void macro_that_changes_behind_a_call(void) {
  int x[2] = {0, 0};
#define ELEMENT 0
#pragma omp task inout(x[ELEMENT])
  add(&x[ELEMENT], 40 + ELEMENT);
#undef ELEMENT
#define ELEMENT 1
#pragma omp task inout(x[ELEMENT])
  add(&x[ELEMENT], 1 + ELEMENT);
#pragma omp taskwait
  printf("%d\n", x[0] + x[1]);
}
#undef ELEMENT
//= 42
//: macro_that_changes_behind_a_declaration
#define LENGTH_OF_IT 2
#pragma omp task inout([LENGTH_OF_IT]to)
static void add_both(int* to);
#undef LENGTH_OF_IT
#define LENGTH_OF_IT 1
void macro_that_changes_behind_a_declaration(void) {
  int x[2] = {0, 0};
  add_both(x);
  add_both(x);
#pragma omp task in(x[1])
  printf("%d\n", x[1]);
#pragma omp taskwait
}
static void add_both(int* to) {
  for (volatile int i = 0; i < 1000000; ++i) continue;
  to[1] += to[0] + 1;
}
//= 2
//: pasted_name
#define PASTE(a, b) a##b
void pasted_name(void) {
  int value_1 = 40;
#pragma omp task inout(value_1)
  PASTE(value_, 1) += 2;
#pragma omp taskwait
  printf("%d\n", value_1);
}
//= 42
//: names_that_the_runtime_uses
#define rows 2
#define first 0
#define bytes 3
#define flags 1
#define next 5
#define size 7
void names_that_the_runtime_uses(void) {
  int a[rows] = {0, 0};
#pragma omp task out(a[first;rows])
  a[first] = bytes, a[flags] = next + size;
#pragma omp taskwait
  printf("%d %d\n", a[0], a[1]);
}
#undef rows
#undef first
#undef bytes
#undef flags
#undef next
#undef size
//= 3 12
//: dead_branches
void dead_branches(void) {
  int x = 0;
#if 0
#pragma omp task this is not read
  broken(
#endif
#ifdef NOT_DEFINED
#pragma omp task inout(x)
  x = 1;
#else
#pragma omp task inout(x)
  x = 42;
#endif
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: either_pragma
void either_pragma(void) {
  int x = 41;
#if LENGTH == 4
#pragma omp task inout(x)
#else
#pragma omp task in(x)
#endif
  add(&x, 1);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: condition_inside_the_block
void condition_inside_the_block(void) {
  int x = 2;
#pragma omp task inout(x)
  {
#ifdef NOT_DEFINED
    x = 0;
#else
    x += 40;
#endif
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: specifiers_before_a_directive
#if defined(__GNUC__)
__attribute__((noinline)) static
#else
static
#endif
void increase(int* x) {
#pragma omp task inout(*x)
  *x += 1;
#pragma omp taskwait
}
void specifiers_before_a_directive(void) {
  int x = 41;
  increase(&x);
  printf("%d\n", x);
}
//= 42
//: functions_from_macros
#define DEFINE(name, by)         \
  static int name(int* x) {      \
    *x += by;                    \
    return *x;                   \
  }                              \
  static int (*const name##_pointer)(int*) = name;
DEFINE(by_one, 1)
DEFINE(by_two, 2)
DEFINE(by_three, 3)
void functions_from_macros(void) {
  int x = 36;
#pragma omp task inout(x)
  {
    by_one(&x);
    by_two(&x);
    by_three_pointer(&x);
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: strange_spacing
void strange_spacing(void) {
  int x = 0;
  #  pragma   omp	task	inout ( x )
  x=42;
    #pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: comment_before_the_statement
void comment_before_the_statement(void) {
  int x = 0;
#pragma omp task inout(x)
  /* here it
     comes: */
  // at last

  x = 42;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: line_directive
void line_directive(void) {
  int x = 0;
#line 1000 "elsewhere.c"
#pragma omp task inout(x)
  x = __LINE__;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 1001
//: line_directive_left_out
void line_directive_left_out(void) {
  int x = 0;
#if 0
//! #line
#line 1000 "elsewhere.c"
#endif
#pragma omp task inout(x)
  x = __LINE__;
#pragma omp taskwait
  printf("%d\n", x);
}
//: line_of_a_task
void line_of_a_task(void) {
  int difference = 0, here = __LINE__;
#pragma omp task inout(difference)
  {
    difference = __LINE__ - here;
  }
#pragma omp taskwait
  printf("%d\n", difference);
}
//= 3
//: function_name
static void name_of(const char** to) {
#pragma omp task out(*to)
  *to = __func__;
#pragma omp taskwait
}
void function_name(void) {
  const char* name = "";
  name_of(&name);
  puts(name);
}
//= name_of
//: header_with_a_pragma
#ifdef NOT_DEFINED
#include "header.h"
#endif
#include "header.h"
#include "./header.h"
void header_with_a_pragma(void) {
  int x = 41;
  bump(&x);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: digraphs_and_continued_tokens
void digraphs_and_continued_tokens(void) <%
  int a<:2:> = <%40, 2%>;
//? write # for %:
%:pragma omp task inout(a)
  a<:0:> \
    += a<:1:>;
#pragma omp taskwait
  printf("%d\n", a[0]);
%>
//= 42
//: pragma_of_others
void pragma_of_others(void) {
  int x = 0;
#pragma GCC diagnostic push
#pragma omp task inout(x)
  //? between
#pragma GCC diagnostic ignored "-Wunused"
  for (int i = 0; i < 6; ++i) x += 7;
#pragma GCC diagnostic pop
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: pragma_inside_the_block
void pragma_inside_the_block(void) {
  int x = 0;
#pragma omp task inout(x)
  {
#pragma GCC unroll 4
    for (int i = 0; i < 6; ++i) x += 7;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: type_by_version
#if __GNUC__ >= 7
typedef double number_of_version;
#else
typedef int number_of_version;
#endif
#ifdef __OPTIMIZE__
typedef double number_of_level;
#else
typedef int number_of_level;
#endif
static void add_numbers(number_of_version a, number_of_level b, double* sum) { *sum = a + b; }
void type_by_version(void) {
  number_of_version a = (number_of_version)2.5;
  number_of_level b = (number_of_level)0.25;
  double sum = 0, expected = a + b;
#pragma omp task in(a, b) out(sum)
  add_numbers(a, b, &sum);
#pragma omp taskwait
  printf("%d\n", sum == expected);
}
//= 1
