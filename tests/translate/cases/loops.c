/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose tasks declare what their own iterations use, and steps that are replayed. */
#include <stdio.h>
#include <stdlib.h>

struct Pair {
  int first, second;
};

static int sum_of(const int* a, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k) sum = sum * 3 % 10007 + a[k];
  return sum;
}
//: sweeps_follow_each_other_part_by_part
void sweeps_follow_each_other_part_by_part(void) {
  int a[100], b[100];
  for (int k = 0; k < 100; ++k) a[k] = b[k] = k;
  for (int step = 0; step < 9; ++step) {
#pragma omp taskloop nogroup grainsize(7) in(a[i - 1], a[i], a[i + 1]) out(b[i])
    for (int i = 1; i < 99; ++i) b[i] = (a[i - 1] + 2 * a[i] + a[i + 1]) % 1009;
#pragma omp taskloop nogroup num_tasks(5) in(b[i - 1;3]) out(a[i])
    for (int i = 1; i < 99; ++i) a[i] = (b[i - 1] + 2 * b[i] + b[i + 1]) % 1013;
  }
#pragma omp taskwait
  printf("%d %d\n", sum_of(a, 100), sum_of(b, 100));
}
//= 7826 5197
//: waits_for_some_of_the_iterations
void waits_for_some_of_the_iterations(void) {
  int a[40] = {0};
#pragma myrmics loop inout(a[i])
  for (int i = 0; i < 40; ++i) a[i] += i;
#pragma omp taskwait on(a[3;4])
  printf("%d\n", a[3] + a[6]);
#pragma omp taskwait
}
//= 9
//: downwards_with_a_step
void downwards_with_a_step(void) {
  int a[60] = {0};
#pragma omp taskloop nogroup inout(a[k]) grainsize(3)
  for (int k = 59; k > 0; k -= 4) a[k] = k;
#pragma omp taskloop nogroup inout({a[k + j], j=0;4}) grainsize(2)
  for (int k = 56; k >= 0; k -= 4) {
    for (int j = 0; j < 4; ++j) a[k + j] += j;
  }
#pragma omp taskwait
  printf("%d\n", sum_of(a, 60));
}
//= 2312
//: counter_of_the_function
void counter_of_the_function(void) {
  int a[30], i, n = 30;
#pragma omp taskloop nogroup out(a[i])
  for (i = 0; i < n; i++) a[i] = i * i;
#pragma omp taskloop nogroup inout(a[29 - i])
  for (i = 0; i < n; i++) a[29 - i] += 1;
#pragma omp taskwait
  printf("%d\n", sum_of(a, 30));
}
//= 7806
//: rows_of_their_own
void rows_of_their_own(void) {
  int* rows[12];
  int sum = 0;
  for (int r = 0; r < 12; ++r) rows[r] = calloc(5, sizeof(int));
  for (int step = 1; step < 4; ++step) {
#pragma omp taskloop nogroup inout(rows[r][0;5])
    for (int r = 0; r < 12; ++r) {
      for (int c = 0; c < 5; ++c) rows[r][c] = rows[r][c] * step + c;
    }
  }
#pragma omp taskwait
  for (int r = 0; r < 12; ++r) {
    sum += sum_of(rows[r], 5);
    free(rows[r]);
  }
  printf("%d\n", sum);
}
//= 6960
//: rows_of_a_matrix
void rows_of_a_matrix(void) {
  int m[10][10], sum = 0;
  for (int r = 0; r < 10; ++r) {
    for (int c = 0; c < 10; ++c) m[r][c] = r * c;
  }
#pragma omp taskloop nogroup in(m[r - 1;1][0;10]) inout(m[r;1][0;10]) num_tasks(3)
  for (int r = 1; r < 10; ++r) {
    for (int c = 0; c < 10; ++c) m[r][c] += m[r - 1][c];
  }
#pragma omp taskwait
  for (int r = 0; r < 10; ++r) sum += sum_of(m[r], 10);
  printf("%d\n", sum);
}
//= 43232
//: members_and_pointers
void members_and_pointers(void) {
  struct Pair pairs[20];
  int sum = 0;
#pragma omp taskloop nogroup out(pairs[i].first)
  for (int i = 0; i < 20; ++i) pairs[i].first = i;
#pragma omp taskloop nogroup in(pairs[i].first) out(pairs[i].second)
  for (int i = 0; i < 20; ++i) pairs[i].second = 2 * pairs[i].first;
#pragma omp taskloop nogroup inout(*p)
  for (struct Pair* p = pairs; p < pairs + 20; ++p) p->second += 1;
#pragma omp taskwait
  for (int i = 0; i < 20; ++i) sum += pairs[i].second;
  printf("%d\n", sum);
}
//= 400
//: loops_in_a_region
void loops_in_a_region(void) {
  int a[50] = {0}, total = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int step = 0; step < 5; ++step) {
#pragma omp taskloop nogroup inout(a[i])
      for (int i = 0; i < 50; ++i) a[i] += i + step;
    }
  }
  for (int i = 0; i < 50; ++i) total += a[i];
  printf("%d\n", total);
}
//= 6625
//: counter_in_another_clause
void counter_in_another_clause(void) {
  int a[9] = {0}, i;
  //! counts the iterations
#pragma omp taskloop inout(a[i]) firstprivate(i)
  for (i = 0; i < 9; ++i) a[i] = i;
}
//: graph_that_repeats
void graph_that_repeats(void) {
  int a[8] = {0};
  for (int step = 0; step < 20; ++step) {
#pragma omp taskgraph
    {
      for (int k = 0; k < 8; ++k) {
#pragma omp task inout(a[k]) in(a[(k + 7) % 8])
        a[k] = (2 * a[k] + a[(k + 7) % 8] + step) % 1009;
      }
    }
  }
  printf("%d\n", sum_of(a, 8));
}
//= 4266
//: graph_that_nearly_repeats
void graph_that_nearly_repeats(void) {
  int a[8] = {0};
  for (int step = 0; step < 30; ++step) {
#pragma omp taskgraph nogroup graph_id(1) graph_reset(step == 7)
    for (int k = 0; k < 8 - step % 5 % 2; ++k) {
#pragma omp task inout(a[step % 7 == 3 ? 0 : k]) in(a[(k + 7) % 8])
      a[step % 7 == 3 ? 0 : k] += (a[(k + 7) % 8] + step) % 1009;
    }
  }
#pragma omp taskwait
  for (int k = 0; k < 8; ++k) a[k] %= 10007;
  printf("%d\n", sum_of(a, 8));
}
//= 15032
//: graphs_in_tasks_and_in_each_other
static void graph_of(int* a, int depth) {
#pragma omp taskgraph
  {
#pragma omp task inout(a[0;4])
    for (int k = 0; k < 4; ++k) a[k] = (a[k] * 5 + depth) % 1009;
    if (depth > 0) graph_of(a, depth - 1);
  }
}
void graphs_in_tasks_and_in_each_other(void) {
  int a[4] = {1, 2, 3, 4}, b[4] = {4, 3, 2, 1};
  for (int step = 0; step < 4; ++step) {
#pragma omp task inout(b[0;4])
    graph_of(b, 2);
    graph_of(a, 3);
  }
#pragma omp taskwait
  printf("%d %d\n", sum_of(a, 4), sum_of(b, 4));
}
//= 5025 5316
