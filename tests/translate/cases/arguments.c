// SPDX-License-Identifier: Apache-2.0
// Arguments of calls that are tasks: who evaluates them, and when.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
  int x, y;
};
static void set(int* to, int value) { *to = value; }
static void add(int* to, int value) { *to += value; }
static int value_of(const int* x) { return *x; }
static int sum_of(const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum;
}
static int x_of(const struct point* p) { return p->x; }

//: address_in_helper
void address_in_helper(void) {
  int x = 1, r = 0;
#pragma omp task inout(x)
  set(&x, 42);
#pragma omp task in(x) out(r)
  set(&r, value_of(&x));
#pragma omp taskwait
  printf("%d\n", r);
}
//= 42
//: pointer_in_helper
void pointer_in_helper(void) {
  int a[4] = {1, 1, 1, 1}, r = 0, *p = a;
#pragma omp task inout([4]p)
  set(p, 39);
#pragma omp task in([4]p) out(r)
  set(&r, sum_of(p, 4));
#pragma omp taskwait
  printf("%d\n", r);
}
//= 42
//: member_in_helper
void member_in_helper(void) {
  struct point s = {1, 0}, *q = &s;
  int r = 0;
#pragma omp task inout(q->x)
  set(&q->x, 42);
#pragma omp task in(q->x) out(r)
  set(&r, x_of(q));
#pragma omp taskwait
  printf("%d\n", r);
}
//= 42
//: helper_of_helper
void helper_of_helper(void) {
  int x = 1, y = 2, r = 0;
#pragma omp task inout(x)
  set(&x, 20);
#pragma omp task inout(y)
  set(&y, 22);
#pragma omp task in(x, y) out(r)
  set(&r, value_of(&x) + value_of(&y));
#pragma omp taskwait
  printf("%d\n", r);
}
//= 42
//: value_before_change
void value_before_change(void) {
  int x = 1, r = 0;
#pragma omp task out(r)
  set(&r, x);
  x = 2;
#pragma omp taskwait
  printf("%d %d\n", r, x);
}
//= 1 2
//: value_of_loop_variable
void value_of_loop_variable(void) {
  int a[5];
  for (int i = 0; i < 5; ++i) {
#pragma omp task out(a[i])
    set(&a[i], i * i);
  }
#pragma omp taskwait
  for (int i = 0; i < 5; ++i) printf("%d%s", a[i], i < 4 ? " " : "\n");
}
//= 0 1 4 9 16
//: argument_with_side_effect
void argument_with_side_effect(void) {
  int a[3] = {0, 0, 0}, next = 0;
  for (int i = 0; i < 3; ++i) {
#pragma omp task out(a[i])
    set(&a[i], next++);
  }
#pragma omp taskwait
  printf("%d %d %d %d\n", a[0], a[1], a[2], next);
}
//= 0 1 2 3
//: declared_value_itself
void declared_value_itself(void) {
  int x = 1, r = 0;
#pragma omp task inout(x)
  add(&x, 41);
#pragma omp task in(x) out(r)
  set(&r, x);
#pragma omp taskwait
  printf("%d\n", r);
}
//= 42
//: declared_value_in_arithmetic
void declared_value_in_arithmetic(void) {
  int x = 1, r = 0, k = 2;
#pragma omp task inout(x)
  add(&x, 20);
#pragma omp task in(x) out(r)
  set(&r, k * x);
  k = 7;
#pragma omp taskwait
  printf("%d %d\n", r, k);
}
//= 42 7
//: declared_value_cast
void declared_value_cast(void) {
  double x = 0.5;
  int r = 0;
#pragma omp task inout(x)
  x = 42.9;
#pragma omp task in(x) out(r)
  set(&r, (int)x);
#pragma omp taskwait
  printf("%d\n", r);
}
//= 42
//: conditional_argument
void conditional_argument(void) {
  int x = 1, y = 2, r = 0;
#pragma omp task inout(x)
  set(&x, 0);
#pragma omp task in(x, y) out(r)
  set(&r, x ? 7 : y);
#pragma omp taskwait
  printf("%d\n", r);
}
//= 2
//: index_that_is_declared
void index_that_is_declared(void) {
  int index = 0, a[3] = {5, 6, 7}, r = 0;
#pragma omp task inout(index)
  set(&index, 2);
#pragma omp task in(index, a) out(r)
  set(&r, a[index]);
#pragma omp taskwait
  printf("%d\n", r);
}
//= 7
//: structure_by_value
static void keep_sum(struct point p, int* to) { *to = p.x + p.y; }
void structure_by_value(void) {
  struct point p = {1, 2};
  int before = 0, behind = 0;
#pragma omp task out(before)
  keep_sum(p, &before);
#pragma omp taskwait
#pragma omp task inout(p)
  set(&p.x, 40);
#pragma omp task in(p) out(behind)
  keep_sum(p, &behind);
#pragma omp taskwait
  printf("%d %d\n", before, behind);
}
//= 3 42
//: string_argument
static void copy_text(char* to, const char* from) { strcpy(to, from); }
void string_argument(void) {
  char text[16] = "";
#pragma omp task out(text)
  copy_text(text, "hello");
#pragma omp taskwait
  puts(text);
}
//= hello
//: string_literal_pointer
static void keep_text(const char** to, const char* from) { *to = from; }
void string_literal_pointer(void) {
  const char* text = 0;
#pragma omp task out((text))
  keep_text(&text, "a \"quoted\" text");
#pragma omp taskwait
  puts(text);
}
//= a "quoted" text
//: function_pointer_argument
static int twice(int x) { return 2 * x; }
static void apply(int* x, int (*how)(int)) { *x = how(*x); }
void function_pointer_argument(void) {
  int x = 21;
#pragma omp task inout(x)
  apply(&x, twice);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: call_through_pointer
void call_through_pointer(void) {
  void (*how)(int*, int) = add;
  int x = 2;
#pragma omp task inout(x)
  how(&x, 40);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: call_through_member
struct methods {
  void (*change)(int*, int);
};
void call_through_member(void) {
  struct methods m = {add};
  int x = 2;
#pragma omp task inout(x)
  m.change(&x, 40);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: call_through_table
void call_through_table(void) {
  static void (*const table[])(int*, int) = {set, add};
  int x = 2;
  for (int i = 0; i < 2; ++i) {
#pragma omp task inout(x)
    table[i](&x, 21);
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: many_arguments
static void mix(int* to, char a, short b, int c, long d, long long e, float f, double g,
                unsigned h) {
  *to = (int)(a + b + c + d + e + (long long)f + (long long)g + h);
}
void many_arguments(void) {
  int x = 0;
#pragma omp task out(x)
  mix(&x, 1, 2, 3, 4L, 5LL, 6.5f, 7.5, 8u);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 36
//: compound_literal
static void keep_point(struct point* to, struct point from) { *to = from; }
void compound_literal(void) {
  struct point p = {0, 0};
#pragma omp task out(p)
  keep_point(&p, (struct point){.y = 2, .x = 1});
#pragma omp taskwait
  printf("%d %d\n", p.x, p.y);
}
//= 1 2
//: narrowed_argument
static void keep_char(unsigned char c, int* to) { *to = c; }
void narrowed_argument(void) {
  int x = 0;
#pragma omp task out(x)
  keep_char(300, &x);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 44
//: variadic_call
#include <stdarg.h>
static void sum_all(int* to, int count, ...) {
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count; ++i) *to += va_arg(list, int);
  va_end(list);
}
void variadic_call(void) {
  int x = 0;
#pragma omp task inout(x)
  sum_all(&x, 3, 10, 20, 12);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: result_dropped
static int set_and_return(int* to, int value) { return *to = value; }
void result_dropped(void) {
  int x = 0;
#pragma omp task out(x)
  set_and_return(&x, 42);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: comma_of_calls
void comma_of_calls(void) {
  int x = 0;
#pragma omp task inout(x)
  (void)value_of(&x), set(&x, 42);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: comma_in_argument
void comma_in_argument(void) {
  int x = 0, calls = 0;
#pragma omp task out(x)
  set(&x, (calls += 1, 42));
#pragma omp taskwait
  printf("%d %d\n", x, calls);
}
//= 42 1
//: parenthesised_callee
void parenthesised_callee(void) {
  int x = 0;
#pragma omp task out(x)
  (set)(&x, 42);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: enum_argument
enum colour { Red, Green = 41, Blue };
static void keep_colour(enum colour c, int* to) { *to = (int)c; }
void enum_argument(void) {
  int x = 0;
#pragma omp task out(x)
  keep_colour(Blue, &x);
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: heap_element
void heap_element(void) {
  int* a = malloc(8 * sizeof *a);
  for (int i = 0; i < 8; ++i) a[i] = i;
  for (int i = 1; i < 8; ++i) {
#pragma omp task in(a[i - 1]) inout(a[i])
    add(&a[i], a[i - 1]);
  }
#pragma omp taskwait
  printf("%d\n", a[7]);
  free(a);
}
//= 28
//: list_node
struct node {
  int value;
  struct node* next;
};
static void add_next(struct node* n) { n->value += n->next->value; }
void list_node(void) {
  struct node third = {3, 0}, second = {2, &third}, first = {1, &second};
#pragma omp task inout(second) in(third)
  add_next(&second);
#pragma omp task inout(first) in(second)
  add_next(&first);
#pragma omp taskwait
  printf("%d %d\n", first.value, second.value);
}
//= 6 5
//: pointer_to_pointer
static void redirect(int** p, int* to) { *p = to; }
void pointer_to_pointer(void) {
  int a = 1, b = 42, *p = &a;
#pragma omp task out((p))
  redirect(&p, &b);
#pragma omp taskwait
  printf("%d\n", *p);
}
//= 42
//: function_that_the_declared_memory_holds
struct shape {
  void (*draw)(int*);
  int drawn;
};
static void draw_line(int* drawn) { *drawn += 1; }
static void draw_circle(int* drawn) { *drawn += 100; }
void function_that_the_declared_memory_holds(void) {
  struct shape s = {draw_line, 0};
#pragma omp task inout(s)
  {
    for (volatile int i = 0; i < 1000000; i++) continue;
    s.draw = draw_circle;
  }
#pragma omp task inout(s)
  s.draw(&s.drawn);
#pragma omp taskwait
  printf("%d\n", s.drawn);
}
//= 100
