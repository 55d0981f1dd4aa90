// SPDX-License-Identifier: Apache-2.0
// Programs of OpenMP: the constructs around tasks mean what they mean there, or are refused.
#include <stdio.h>

static int work(int i) { return i; }

//: parallel_and_single
void parallel_and_single(void) {
  int a[100] = {0}, sum = 0;
  //? parallel
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task shared(a) firstprivate(i)
    a[i] = work(i);
  }
  for (int i = 0; i < 100; ++i) sum += a[i];
  printf("%d\n", sum);
}
//= 4950
//: parallel_and_master
void parallel_and_master(void) {
  int x = 0, y = 0;
  //? parallel
#pragma omp parallel
  {
#pragma omp master
    {
#pragma omp task shared(x)
      x = 40;
#pragma omp task shared(y)
      y = 2;
    }
  }
  printf("%d\n", x + y);
}
//= 42
//: parallel_and_masked
void parallel_and_masked(void) {
  int x = 0;
  //? parallel
#pragma omp parallel
#pragma omp masked
  {
#pragma omp task shared(x)
    x = 42;
  }
  printf("%d\n", x);
}
//= 42
//: parallel_with_clauses
void parallel_with_clauses(void) {
  int x = 1, n = 42;
  //? parallel
#pragma omp parallel num_threads(4) shared(x) firstprivate(n)
#pragma omp single nowait
  {
#pragma omp task shared(x) firstprivate(n)
    x = n;
  }
  printf("%d\n", x);
}
//= 42
//: task_group
void task_group(void) {
  int a = 0, b = 0, sum = 0;
  //? taskgroup
#pragma omp taskgroup
  {
#pragma omp task shared(a)
    a = 1;
#pragma omp task shared(b)
    {
#pragma omp task shared(b)
      b = 2;
    }
  }
  sum = a + b;
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 3
//: task_loop
void task_loop(void) {
  int a[100], sum = 0;
  //? taskloop
#pragma omp taskloop shared(a)
  for (int i = 0; i < 100; ++i) a[i] = i;
  for (int i = 0; i < 100; ++i) sum += a[i];
  printf("%d\n", sum);
}
//= 4950
//: task_loop_with_grainsize
void task_loop_with_grainsize(void) {
  int a[30], sum = 0;
  //? taskloop
#pragma omp taskloop grainsize(10) shared(a)
  for (int i = 29; i >= 0; i -= 3) a[i] = i;
  for (int i = 29; i >= 0; i -= 3) sum += a[i];
  printf("%d\n", sum);
}
//= 155
//: task_loop_with_dependences
void task_loop_with_dependences(void) {
  int c = 0, sum = 0, a[4] = {0};
  for (int t = 0; t < 3; ++t) {
    //? taskloop
#pragma omp taskloop in(c) inout(a[0;4])
    for (int i = 0; i < 4; ++i) a[i] += c;
#pragma omp task in(a[0;4]) inout(c)
    c += 1;
  }
#pragma omp taskwait
  for (int i = 0; i < 4; ++i) sum += a[i];
  printf("%d\n", sum);
}
//= 12
//: atomic_in_tasks
void atomic_in_tasks(void) {
  int n = 0;
  for (int k = 0; k < 20; ++k) {
#pragma omp task shared(n)
    for (int i = 0; i < 1000; ++i) {
      //? atomic
#pragma omp atomic
      n++;
    }
  }
#pragma omp taskwait
  printf("%d\n", n);
}
//= 20000
//: atomic_forms
void atomic_forms(void) {
  int n = 1, seen = 0;
#pragma omp task shared(n, seen)
  {
    //? atomic
#pragma omp atomic update
    n *= 42;
#pragma omp atomic read
    seen = n;
#pragma omp atomic write
    n = seen + 1;
  }
#pragma omp taskwait
  printf("%d %d\n", n, seen);
}
//= 43 42
//: critical_in_tasks
void critical_in_tasks(void) {
  int n = 0;
  for (int k = 0; k < 20; ++k) {
#pragma omp task shared(n)
    for (int i = 0; i < 500; ++i) {
      //? critical
#pragma omp critical
      n = n + 1;
    }
  }
#pragma omp taskwait
  printf("%d\n", n);
}
//= 10000
//: named_critical
void named_critical(void) {
  int n = 0, m = 0;
  for (int k = 0; k < 10; ++k) {
#pragma omp task shared(n, m)
    {
      //? critical
#pragma omp critical(one)
      {
        n += 1;
      }
#pragma omp critical(two)
      m += 2;
    }
  }
#pragma omp taskwait
  printf("%d %d\n", n, m);
}
//= 10 20
//: barrier
void barrier(void) {
  int x = 0;
#pragma omp task shared(x)
  x = 42;
  //? barrier
#pragma omp barrier
  printf("%d\n", x);
#pragma omp taskwait
}
//= 42
//: task_yield
void task_yield(void) {
  int x = 0;
#pragma omp task shared(x)
  {
    x = 41;
    //? taskyield
#pragma omp taskyield
    x += 1;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: without_effect
void without_effect(void) {
  int x = 0;
#pragma omp task shared(x) untied mergeable priority(1 + 2)
  x = 42;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: copy_clauses
void copy_clauses(void) {
  int x = 0;
#pragma omp task inout(x) copy_deps
  x = 40;
#pragma omp task inout(x) no_copy_deps
  x += 2;
#pragma omp taskwait noflush
  printf("%d\n", x);
}
//= 42
//: if_with_a_name
void if_with_a_name(void) {
  int x = 0;
  //? if
#pragma omp task shared(x) if (task : x == 1)
  x = 42;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: many_dependences
void many_dependences(void) {
  int a[4] = {0}, sum = 0;
  for (int i = 0; i < 4; ++i) {
#pragma omp task out(a[i])
    a[i] = i;
  }
#pragma omp task in({a[k], k = 0;4}) out(sum)
  sum = a[0] + a[1] + a[2] + a[3];
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 6
//: dependences_by_iterator
void dependences_by_iterator(void) {
  int a[4] = {0}, sum = 0;
  for (int i = 0; i < 4; ++i) {
#pragma omp task depend(out : a[i]) shared(a)
    a[i] = i;
  }
#pragma omp task depend(iterator(k = 0 : 4), in : a[k]) shared(a, sum)
  sum = a[0] + a[1] + a[2] + a[3];
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 6
//: mutexinoutset
void mutexinoutset(void) {
  int sum = 0;
  for (int i = 0; i < 8; ++i) {
#pragma omp task depend(mutexinoutset : sum) shared(sum)
    sum += i;
  }
#pragma omp task depend(inout : sum) shared(sum)
  sum *= 2;
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 56
//: inoutset
void inoutset(void) {
  int a[2] = {0}, sum = 0;
  for (int i = 0; i < 2; ++i) {
#pragma omp task depend(inoutset : a) shared(a) firstprivate(i)
    a[i] = i + 1;
  }
#pragma omp task depend(in : a) shared(a, sum)
  sum = a[0] + a[1];
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 3
//: task_reduction
void task_reduction(void) {
  int sum = 0;
  //? taskgroup
#pragma omp taskgroup task_reduction(+ : sum)
  {
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
  }
  printf("%d\n", sum);
}
//= 45
//: weak_accesses
void weak_accesses(void) {
  int a[2] = {0, 0};
#pragma omp task weakinout(a)
  {
#pragma omp task inout(a[0])
    a[0] = 40;
#pragma omp task inout(a[1])
    a[1] = 2;
  }
#pragma omp taskwait
  printf("%d\n", a[0] + a[1]);
}
//= 42
//: wait_with_depend
void wait_with_depend(void) {
  int x = 0;
#pragma omp task depend(out : x) shared(x)
  x = 42;
  //? depend
#pragma omp taskwait depend(in : x)
  printf("%d\n", x);
#pragma omp taskwait
}
//= 42
//: for_loop_beside_tasks
void for_loop_beside_tasks(void) {
  int a[10], sum = 0;
  //? for
#pragma omp parallel for
  for (int i = 0; i < 10; ++i) a[i] = i;
#pragma omp task in(a) out(sum)
  {
    sum = 0;
    for (int i = 0; i < 10; ++i) sum += a[i];
  }
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 45
//: sections
void sections(void) {
  int x = 0, y = 0;
  //? parallel
#pragma omp parallel sections
  {
#pragma omp section
    x = 40;
#pragma omp section
    y = 2;
  }
#pragma omp task shared(x)
  x += y;
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: fibonacci
static int fibonacci_of(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fibonacci_of(n - 1);
#pragma omp task shared(b)
  b = fibonacci_of(n - 2);
#pragma omp taskwait
  return a + b;
}
void fibonacci(void) {
  int r = 0;
  //? parallel
#pragma omp parallel
#pragma omp single
  r = fibonacci_of(12);
  printf("%d\n", r);
}
//= 144
//: thread_private_state
void thread_private_state(void) {
  int sum = 0;
#pragma omp task shared(sum)
  {
    int local = 0;
    for (int i = 0; i < 7; ++i) local += 6;
    sum = local;
  }
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 42
//: last_of_a_loop_in_a_region
void last_of_a_loop_in_a_region(void) {
  int x = 3, i = 0, n = 0;
#pragma omp parallel shared(n)
  {
#pragma omp for firstprivate(x) lastprivate(x, i)
    for (i = 0; i < 10; i++) x = i + 39;
#pragma omp single
#pragma omp task depend(inout : n)
    n++;
  }
  printf("%d %d %d\n", x, i, n);
}
//= 48 10 1
//: reductions_of_two_variables_with_one_name
void reductions_of_two_variables_with_one_name(void) {
  int s = 0, other = 0;
#pragma omp taskgroup task_reduction(+ : s)
  {
#pragma omp task in_reduction(+ : s) shared(other)
    {
      s += 1;
      {
        int s = 50;
#pragma omp taskgroup task_reduction(+ : s)
        {
#pragma omp task in_reduction(+ : s)
          s += 7;
        }
        other = s;
      }
    }
  }
  printf("%d %d\n", s, other);
}
//= 1 57
//: counter_that_a_clause_lists
void counter_that_a_clause_lists(void) {
  int i, j, out[8];
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) private(i, j)
    for (i = 0; i < 8; i++) {
#pragma omp task firstprivate(i) private(j) shared(out)
      {
        out[i] = 0;
        for (j = 0; j <= i; j++) out[i] += j;
      }
    }
  }
  for (i = 0; i < 8; i++) printf("%d%c", out[i], i < 7 ? ' ' : '\n');
}
//= 0 1 3 6 10 15 21 28
