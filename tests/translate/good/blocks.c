/* SPDX-License-Identifier: Apache-2.0
 *
 * The OmpSs form before blocks and other statements: what they share with the function around them.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { kCount = 8 };
typedef struct {
  int x, y;
  const int tag;
} point;
#define TWICE(e) ((e) + (e))
#define LIMIT (limit * 2)

static int global = 5;

static void sharing(int parameter) {
  int copied = 1, shared = 2, list[kCount] = {1, 2, 3}, own[4] = {9, 8, 7, 6};
  static int lasting = 3;
  point p = {4, 5, 6};
  const int limit = 7;
  int result = 0;
#pragma omp task out(result) in(list, lasting) firstprivate(copied, p, own)
  {
    int sum = copied + lasting + p.x * p.y + p.tag + LIMIT + parameter + global + (int)sizeof(own);
    for (int i = 0; i < kCount; i++) sum += list[i];
    for (int i = 0; i < 4; i++) sum += own[i];
    copied = 1000, p.x = 1000, own[0] = 1000;  // the task's copies
    result = sum + copied - p.x + TWICE(sum);
  }
  copied = 50, p.x = 60, own[3] = 70;
#pragma omp task shared(shared) inout(result)
  shared += result, result += 1;
#pragma omp task firstprivate(copied) private(parameter) inout(lasting)
  {
    parameter = copied;
    lasting += parameter;
  }
#pragma omp taskwait
  printf("%d %d %d %d %d\n", result, shared, copied, lasting, p.x);
#pragma omp task default(shared)
  {
    copied += 1;
    own[1] += copied;
  }
#pragma omp taskwait
  printf("%d %d\n", copied, own[1]);
#pragma omp task default(none) firstprivate(copied) shared(shared)
  shared = copied;
#pragma omp taskwait
  printf("%d\n", shared);
}

static void statements(void) {
  int v[kCount] = {0}, n = kCount, x = 0;
#pragma omp task inout(v)
  for (int i = 0; i < n; i++) v[i] += i;
  if (n > 3)
#pragma omp task inout(v, x)
    if (v[1] == 1)
      x = 10;
    else
      x = 20;
  else
    x = 30;
#pragma omp task inout(x)
  x = TWICE(x) + 1;
#pragma omp task inout(x)
  switch (x) {
    case 21:
      x++;
      break;
    default:
      x--;
  }
#pragma omp task inout(x)
  do {
    if (x > 100) break;
    if (x % 2) {
      x += 3;
      continue;
    }
    x += 5;
  } while (1);
#pragma omp task inout(x)
  ;
#pragma omp task inout(x)
  {
  }
#pragma omp taskwait
  printf("%d %d\n", v[7], x);
}

static void nested(void) {
  int total = 0, parts[4] = {0}, seed = 3;
#pragma omp task out(parts) inout(total)
  {
    for (int i = 0; i < 4; i++) {
      int step = seed + i;
#pragma omp task out(parts[i])
      {
        int inner = 0;
#pragma omp task out(inner)
        inner = step * 10;
#pragma omp taskwait on(inner)
        parts[i] = inner + seed;
      }
    }
#pragma omp taskwait
    for (int i = 0; i < 4; i++) total += parts[i];
  }
#pragma omp taskwait
  printf("%d\n", total);
}

static void variable_length(int n, int m, double a[n][m], const double (*b)[m]) {
  double row[m], sum = 0;
#pragma omp task out(row)
  for (int j = 0; j < m; j++) row[j] = j;
  for (int i = 0; i < n; i++)
#pragma omp task inout(a[i]) in(row)
    for (int j = 0; j < m; j++) a[i][j] += row[j] + b[i][j];
  m += 0;
#pragma omp task in(a[0; n][0; m]) inout(sum)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) sum += a[i][j] * (i + 1);
#pragma omp taskwait
  printf("%.1f\n", sum);
}

static void names(void) {
  char name[32] = "";
#pragma omp task out(name)
  strcpy(name, __func__);
#pragma omp taskwait
  printf("%s\n", name);
  int line = 0;
#pragma omp task out(line)
  {
    assert(line == line);
    line = __LINE__;
  }
#pragma omp taskwait
  printf("%d of %s\n", line, strrchr("/" __FILE__, '/') + 1);
}

/* Names that the translation uses too. */
static void collisions(void) {
  int c = 1, a0 = 2, site = 3, draft = 4, next = 5, m0 = 6, closure = 7, result = 0;
#pragma omp task inout(result)
  result = c + a0 + site + draft + next + m0 + closure;
#pragma omp task inout(result) if (result >= 0)
  result += c;
#pragma omp taskwait
  printf("%d\n", result);
}

int main(void) {
  double a[3][5] = {{0}}, b[3][5];
  for (int i = 0; i < 15; i++) b[i / 5][i % 5] = i;
  sharing(11);
  statements();
  nested();
  variable_length(3, 5, a, (const double(*)[5])b);
  names();
  collisions();
  return 0;
}
