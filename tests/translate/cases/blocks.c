// SPDX-License-Identifier: Apache-2.0
// Blocks as tasks: copies and shared variables, control flow inside, nesting.
#include <stdio.h>
#include <stdlib.h>

//: copy_of_a_variable
void copy_of_a_variable(void) {
  int n = 41, r = 0;
#pragma omp task out(r)
  {
    r = n + 1;
  }
  n = 7;
#pragma omp taskwait
  printf("%d %d\n", r, n);
}
//= 42 7
//: copy_of_a_structure
void copy_of_a_structure(void) {
  struct {
    int a[4];
    char c;
  } s = {{1, 2, 3, 4}, 'x'};
  int r = 0;
#pragma omp task out(r)
  {
    r = s.a[3] + (s.c == 'x');
  }
  s.a[3] = 0;
#pragma omp taskwait
  printf("%d\n", r);
}
//= 5
//: copy_of_an_array
void copy_of_an_array(void) {
  int a[3] = {10, 20, 12}, r = 0;
#pragma omp task firstprivate(a) out(r)
  for (int i = 0; i < 3; ++i) r += a[i];
  a[0] = a[1] = a[2] = 0;
#pragma omp taskwait
  printf("%d\n", r);
}
//= 42
//: firstprivate_may_change
void firstprivate_may_change(void) {
  int n = 40, r = 0;
#pragma omp task firstprivate(n) out(r)
  {
    n += 2;
    r = n;
  }
#pragma omp taskwait
  printf("%d\n", r);
}
//= 42
//: private_is_fresh
void private_is_fresh(void) {
  int temporary = 7, r = 0;
#pragma omp task private(temporary) out(r)
  {
    int other = 0;
    other = 42;
    r = other;
  }
#pragma omp taskwait
  printf("%d %d\n", r, temporary);
}
//= 42 7
//: shared_scalar
void shared_scalar(void) {
  int x = 1;
#pragma omp task shared(x)
  x = 42;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: shared_array
void shared_array(void) {
  int a[4] = {0};
  for (int i = 0; i < 4; ++i) {
#pragma omp task shared(a) firstprivate(i)
    a[i] = i + 1;
  }
#pragma omp taskwait
  printf("%d %d %d %d\n", a[0], a[1], a[2], a[3]);
}
//= 1 2 3 4
//: default_shared
void default_shared(void) {
  int x = 1, y = 2;
#pragma omp task default(shared)
  x = 40 + y;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: default_none
void default_none(void) {
  int x = 1, y = 2;
#pragma omp task default(none) shared(x) firstprivate(y)
  x = 40 + y;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: static_variable
void static_variable(void) {
  static int calls;
  for (int i = 0; i < 3; ++i) {
#pragma omp task inout(calls)
    calls += 1;
  }
#pragma omp taskwait
  printf("%d\n", calls);
}
//= 3
//: file_variable
static int total = 2;
void file_variable(void) {
#pragma omp task inout(total)
  total += 40;
#pragma omp taskwait
  printf("%d\n", total);
}
//= 42
//: loops_inside
void loops_inside(void) {
  int sum = 0;
#pragma omp task inout(sum)
  {
    for (int i = 0; i < 10; ++i) {
      if (i == 3) continue;
      if (i == 6) break;
      sum += i;
    }
    int k = 3;
    while (k-- > 0) sum += 10;
    do {
      sum += 100;
    } while (sum < 300);
  }
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 342
//: loop_over_an_outer_variable
void loop_over_an_outer_variable(void) {
  int i = 5, sum = 0;
#pragma omp task inout(sum)
  for (i = 0; i < 4; ++i) sum += i;
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 6
//: switch_inside
void switch_inside(void) {
  int kinds[3] = {0, 1, 2}, sum = 0;
  for (int i = 0; i < 3; ++i) {
    int kind = kinds[i];
#pragma omp task inout(sum)
    switch (kind) {
      case 0:
        sum += 1;
        break;
      case 1:
        sum += 10;
        /* falls through */
      default:
        sum += 100;
    }
  }
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 211
//: goto_inside
void goto_inside(void) {
  int x = 0;
#pragma omp task inout(x)
  {
    for (int i = 0; i < 10; ++i) {
      if (i == 5) {
        x = i;
        goto end;
      }
    }
    x = -1;
  end:;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 5
//: goto_backwards
void goto_backwards(void) {
  int x = 0;
#pragma omp task inout(x)
  {
  again:
    x += 5;
    if (x < 20) goto again;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 20
//: conditional_statement
void conditional_statement(void) {
  int x = 0, yes = 1;
#pragma omp task inout(x)
  if (yes) {
    x = 42;
  } else {
    x = 7;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: pragma_under_an_if
void pragma_under_an_if(void) {
  int x = 1;
  if (x == 1)
#pragma omp task inout(x)
    x = 42;
  else
    x = 7;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: pragma_under_a_loop
void pragma_under_a_loop(void) {
  int x = 0;
  for (int i = 0; i < 6; ++i)
#pragma omp task inout(x)
    x += 7;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: pragma_behind_else
void pragma_behind_else(void) {
  int x = 0;
  if (x)
    x = 1;
  else
#pragma omp task out(x)
    x = 42;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: pragma_behind_a_case
void pragma_behind_a_case(void) {
  int x = 0;
  switch (x) {
    case 0:
#pragma omp task out(x)
      x = 42;
      break;
    default:
      x = 1;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: tasks_in_a_task
void tasks_in_a_task(void) {
  int a[4] = {0};
#pragma omp task inout(a)
  {
    for (int i = 0; i < 4; ++i) {
#pragma omp task out(a[i])
      a[i] = i;
    }
#pragma omp taskwait
    a[0] = a[1] + a[2] + a[3];
  }
#pragma omp taskwait
  printf("%d\n", a[0]);
}
//= 6
//: three_levels
void three_levels(void) {
  int x = 0;
#pragma omp task inout(x)
  {
    x += 2;
#pragma omp task inout(x)
    {
      x *= 4;
#pragma omp task inout(x)
      x += 34;
    }
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: children_outlive_the_parent
void children_outlive_the_parent(void) {
  int* x = calloc(1, sizeof *x);
#pragma omp task inout(*x)
  {
    for (int i = 0; i < 21; ++i) {
#pragma omp task inout(*x)
      *x += 1;
    }
  }
#pragma omp task inout(*x)
  *x *= 2;
#pragma omp taskwait
  printf("%d\n", *x);
  free(x);
}
//= 42
//: recursion
static void sum_up(long* to, const long* a, int n) {
  if (n <= 4) {
    *to = 0;
    for (int i = 0; i < n; ++i) *to += a[i];
    return;
  }
  long left = 0, right = 0;
#pragma omp task out(left) in([n / 2]a)
  sum_up(&left, a, n / 2);
#pragma omp task out(right) in(a[n / 2; n - n / 2])
  sum_up(&right, a + n / 2, n - n / 2);
#pragma omp taskwait
  *to = left + right;
}
void recursion(void) {
  long a[100], sum = 0;
  for (int i = 0; i < 100; ++i) a[i] = i;
  sum_up(&sum, a, 100);
  printf("%ld\n", sum);
}
//= 4950
//: local_variable_in_the_block
void local_variable_in_the_block(void) {
  int x = 2;
#pragma omp task inout(x)
  {
    int y = x, a[3] = {y, y + 1, y + 2};
    static const int scale = 2;
    for (int i = 0; i < 3; ++i) y += a[i] * scale;
    x = y;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 20
//: shadowing_in_the_block
void shadowing_in_the_block(void) {
  int x = 1, y = 5;
#pragma omp task inout(x) firstprivate(y)
  {
    int r = y;
    {
      int x = 36;
      r += x;
    }
    for (int y = 0; y < 1; ++y) r += y;
    x += r;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: shadowing_around_the_block
static int level = 100;
void shadowing_around_the_block(void) {
  int x = 0;
  {
    int level = 42;
#pragma omp task out(x)
    x = level;
  }
#pragma omp taskwait
  printf("%d %d\n", x, level);
}
//= 42 100
//: variable_named_as_its_type
typedef struct node {
  int value;
  struct node* next;
} node;
static void link_nodes(node* next, node* node) {
#pragma omp task inout(*node) in(*next)
  {
    node->next = next;
    node->value = 1 + next->value;
  }
#pragma omp taskwait
}
void variable_named_as_its_type(void) {
  node a = {2, 0}, b = {0, 0};
  link_nodes(&a, &b);
  printf("%d\n", b.value);
}
//= 3
//: variable_length_array
void variable_length_array(void) {
  int n = 3;
  double a[n][n], sum = 0;
#pragma omp task out(a)
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a[i][j] = i * j;
#pragma omp task in(a) out(sum)
  {
    sum = 0;
    for (int i = 0; i < 9; ++i) sum += a[i / 3][i % 3];
  }
#pragma omp taskwait
  printf("%g\n", sum);
}
//= 9
//: variable_length_array_inside
void variable_length_array_inside(void) {
  int n = 4, sum = 0;
#pragma omp task out(sum)
  {
    int a[n];
    sum = 0;
    for (int i = 0; i < n; ++i) a[i] = i * i;
    for (int i = 0; i < n; ++i) sum += a[i];
  }
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 14
//: typeof_and_generic
void typeof_and_generic(void) {
  double x = 0;
  const char* kind = "";
#pragma omp task inout(x) out((kind))
  {
    __typeof__(x) y = 0.5;
    x += y;
    kind = _Generic(x, double: "double", default: "other");
  }
#pragma omp taskwait
  printf("%g %s\n", x, kind);
}
//= 0.5 double
//: statement_expression
void statement_expression(void) {
  int x = 0, n = 20;
#pragma omp task out(x)
  x = ({
    int y = n + 1;
    2 * y;
  });
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: empty_block
void empty_block(void) {
  int x = 42;
#pragma omp task inout(x)
  {
  }
#pragma omp task inout(x)
  ;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: assignment_as_a_task
void assignment_as_a_task(void) {
  int a = 1, b = 2, c = 3;
#pragma omp task inout(a, b, c)
  a = b = c = 42;
#pragma omp taskwait
  printf("%d %d %d\n", a, b, c);
}
//= 42 42 42
//: increment_as_a_task
void increment_as_a_task(void) {
  int x = 41;
#pragma omp task inout(x)
  ++x;
#pragma omp task inout(x)
  x--;
#pragma omp task inout(x)
  x++;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: union_and_bitfield
union word {
  unsigned word;
  unsigned char bytes[4];
};
struct fields {
  unsigned a : 3, b : 5;
};
void union_and_bitfield(void) {
  union word u = {0};
  struct fields s = {1, 2};
#pragma omp task inout(u, s)
  {
    u.word = 0x01010101;
    s.b = u.bytes[2] + s.a;
  }
#pragma omp taskwait
  printf("%u %d\n", s.b, u.bytes[3]);
}
//= 2 1
//: enum_in_the_function
void enum_in_the_function(void) {
  int x = 0;
#pragma omp task out(x)
  {
    enum { Answer = 42 };
    x = Answer;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: structure_in_the_block
void structure_in_the_block(void) {
  int x = 0;
#pragma omp task out(x)
  {
    struct pair {
      int a, b;
    } p = {.b = 2, .a = 40};
    x = p.a + p.b;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: volatile_and_register
void volatile_and_register(void) {
  volatile int v = 1;
  register int k = 41;
  int x = 0;
#pragma omp task inout(v) out(x)
  {
    v += k;
    x = v;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: long_double_and_complex
#include <complex.h>
void long_double_and_complex(void) {
  long double l = 1.5L;
  double complex z = 1 + 2 * I;
#pragma omp task inout(l, z)
  {
    l *= 2;
    z *= z;
  }
#pragma omp taskwait
  printf("%.1Lf %g %g\n", l, creal(z), cimag(z));
}
//= 3.0 -3 4
//: anonymous_members
struct nested {
  struct {
    int a;
  };
  union {
    int b;
    float f;
  };
};
void anonymous_members(void) {
  struct nested s = {{1}, {2}};
#pragma omp task inout(s.a) in(s.b)
  s.a += s.b;
#pragma omp taskwait
  printf("%d\n", s.a);
}
//= 3
//: compound_literals
struct pair {
  int a, b;
};
void compound_literals(void) {
  struct pair p = {1, 2};
#pragma omp task inout(p)
  p = (struct pair){p.b, 7};
#pragma omp task inout(p)
  if (p.a == 2) p = (struct pair){p.b, p.a};
#pragma omp taskwait
  printf("%d %d\n", p.a, p.b);
}
//= 7 2
//: inner_variable_with_the_name_of_an_outer_one
void inner_variable_with_the_name_of_an_outer_one(void) {
  int x = 1, r = 0;
#pragma omp task inout(x, r)
  {
    x = 2;
    for (int x = 100; x < 103; x++) {
#pragma omp task inout(r)
      {
        r += x;
      }
    }
#pragma omp taskwait
  }
#pragma omp taskwait
  printf("%d %d\n", x, r);
}
//= 2 303
//: what_the_function_declares_for_itself
#define ONE_MORE ({ total: total + 1; })
void what_the_function_declares_for_itself(void) {
  struct local {
    int x;
  } s = {1};
  enum { kFew = 3 };
  typedef short number;
  int total = 0;
#pragma omp task inout(total)
  total += s.x;
#pragma omp task inout(total)
  total += kFew + (int)sizeof(number);
#pragma omp task inout(total)
  total = ONE_MORE;
#pragma omp task inout(total)
  {
#define TWENTY 20
    total += TWENTY;
  }
#pragma omp taskwait
  printf("%d %s\n", total + TWENTY, __func__);
}
//= 47 what_the_function_declares_for_itself
//: arrays_of_variable_length
static void arrays_with(int n) {
  int copied[n], shared[n], sum = 0;
  int (*rows)[n] = &copied;
  for (int i = 0; i < n; i++) copied[i] = shared[i] = i;
#pragma omp task inout(shared, sum)
  {
    //? no array of variable length of its own
    sum += (int)(sizeof(copied) / sizeof(int)) + (int)(sizeof(*rows) / sizeof(int));
    for (int i = 0; i < n; i++) sum += copied[i] + (*&shared)[i];
    shared[0] = 100;
  }
  copied[1] = 50;
#pragma omp taskwait
  printf("%d %d %d\n", sum, copied[0], shared[0]);
}
void arrays_of_variable_length(void) { arrays_with(4); }
//= 20 0 100
