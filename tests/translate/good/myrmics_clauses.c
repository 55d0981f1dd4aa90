/* SPDX-License-Identifier: Apache-2.0
 *
 * The Myrmics form as published programs use it: all shapes of clauses, places without braces,
 * functions called before they are declared, many arguments, values of all types.
 */
#include <myrmics.h>

typedef struct {
  char name[3];
  double weight;
} thing;

static void fill(int* data, int count, int value);

static void add(int* to, const int* a, const int* b, int count) {
  for (int i = 0; i < count; i++) to[i] = (to == a ? 0 : to[i]) + a[i] + (b ? b[i] : 1000);
}

static void values(float f, double d, char c, long long l, unsigned char u, thing t, double* out) {
  out[0] = f + d + c + (double)l + u + t.weight + t.name[1];
}

static void region_sum(rid_t region, int** parts, int count, int* sum) {
  (void)region;
  for (int i = 0; i < count; i++) *sum += parts[i][0] + parts[i][15];
}

static void hand_on(rid_t region, int** parts, int count) {
  for (int i = 0; i < count; i++) {
    int* part = parts[i];
#pragma myrmics task in(i) inout(part)
    fill(part, 16, i);
  }
  (void)region;
}

static int shown[2];
static void show(const char* what, int* data) { shown[*what == 'c'] = 10 * data[0] + data[1]; }

static void shapes(void) {
  rid_t r = sys_ralloc(0, 0), inner = sys_ralloc(r, 5);
  int n = 16, *a = sys_alloc(64, 0), *b = sys_alloc(64, r), *c = sys_alloc(64, inner);
  int* none = NULL;
#pragma myrmics task out(a) in(n) in(n) safe(n)
  fill(a, n, n);
#pragma myrmics task inout(b) in(n)
  fill(b, n, n);
#pragma myrmics task in(a) out(c) in(b, n)
  /* the arguments are matched by their names, */
#ifdef NEVER
  that(is, all);
#endif
  // whatever stands in between
  add(c, a, b, n);
#pragma myrmics task inout(c) in(a, none) in(n)
  add(c, a, none, n);
#pragma myrmics task in(c) in(none) notransfer(none)
  show(none ? "?" : "c", c);
#pragma myrmics task region in(r) in(a) safe(a)
  show("a", a);
#pragma myrmics wait on(a, b, region inner)
  printf("%d %d %d\n", a[3], b[15], c[15]);
#pragma myrmics wait on(r)
  printf("%d %d\n", shown[0], shown[1]);
  sys_free(a);
  sys_rfree(r);
}

static void without_braces(int* a, int flag) {
  int one = 1, two = 2, n = 2;
  if (flag)
#pragma myrmics task out(a) in(n, one)
    fill(a, n, one);
  else
#pragma myrmics task out(a) in(n, two)
    fill(a, n, two);
  for (int i = 0; i < 3; i++)
#pragma myrmics task inout(a) in(a) in(n)
    add(a, a, a, n);
  do
#pragma myrmics task in(a)
    show("do", a);
  while (0);
  switch (flag) {
    case 1:
#pragma myrmics task inout(a) in(n)
      fill(a, n, n);
      break;
    default:
      break;
  }
#pragma myrmics wait  // for all tasks
  printf("%d %d %d\n", a[0], a[1], shown[0]);
}

static void many(int* a0, int* a1, int* a2, int* a3, int* a4, int* a5, int* a6, int* a7, int* a8,
                 int* a9, int b0, int b1, int b2, int b3, int b4, int b5, int b6, int b7, int b8,
                 int b9, double c0, double c1, double c2, double c3, double c4, double c5,
                 double c6, double c7, double c8, double c9, short d0, short d1, short d2,
                 int* result) {
  *result = *a0 + *a1 + *a2 + *a3 + *a4 + *a5 + *a6 + *a7 + *a8 + *a9 + b0 + 2 * b1 + 3 * b2 +
            4 * b3 + 5 * b4 + 6 * b5 + 7 * b6 + 8 * b7 + 9 * b8 + 10 * b9 + (int)c0 + (int)c1 +
            (int)c2 + (int)c3 + (int)c4 + (int)c5 + (int)c6 + (int)c7 + (int)c8 + (int)c9 + d0 +
            d1 + d2;
}

int main(void) {
  shapes();
  int* pair = sys_alloc(2 * sizeof(int), 0);
  for (int flag = 0; flag < 2; flag++) without_braces(pair, flag);

  float f = 0.5f;
  double d = 0.25, *out = sys_alloc(sizeof(double), 0);
  char c = 'a';
  long long l = 1LL << 40;
  unsigned char u = 200;
  thing t = {"xy", 12.5};
#pragma myrmics task out(out) in(f, d, c, l, u, t)
  values(f, d, c, l, u, t, out);
#pragma myrmics wait on(out)
  printf("%.3f\n", *out);

  rid_t region = sys_ralloc(0, 0);
  int count = 8, *sum = sys_alloc(sizeof(int), 0);
  int** parts = sys_alloc((size_t)count * sizeof(int*), region);
  sys_balloc(64, region, count, parts);
  *sum = 0;
#pragma myrmics task region inout(region) in(parts) safe(parts) in(count)
  hand_on(region, parts, count);
#pragma myrmics task region in(region) inout(sum) in(parts, count) safe(parts, count)
  region_sum(region, parts, count, sum);

  int* p[10];
  sys_balloc(sizeof(int), 0, 10, p);
  for (int i = 0; i < 10; i++) *p[i] = i;
  int *p0 = p[0], *p1 = p[1], *p2 = p[2], *p3 = p[3], *p4 = p[4], *p5 = p[5], *p6 = p[6],
      *p7 = p[7], *p8 = p[8], *p9 = p[9];
  int i = 3;
  double x = 2.5;
  short s = -7;
#pragma myrmics task in(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, i, x, s) out(sum)
  many(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, i, i, i, i, i, i, i, i, i, i, x, x, x, x, x, x, x, x,
       x, x, s, s, s, sum);
#pragma myrmics wait on(sum, region region)
  printf("%d %d\n", *sum, parts[7][15]);
  printf("%u %d %d %.3f\n", rand(7u), int_log2(1000), int_log10(1000), sqrt(2.0f));
  return 0;
}

static void fill(int* data, int count, int value) {
  for (int i = 0; i < count; i++) data[i] = value + i;
}
