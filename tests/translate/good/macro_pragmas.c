/* SPDX-License-Identifier: Apache-2.0 */
/* Pragmas that macros make, and jumps inside of a task. */
#include <stdio.h>
#include <unistd.h>
#define STR(x) #x
#define DO_PRAGMA(x) _Pragma(#x)
#define DO2(x) _Pragma(STR(x))
#define OMP_TASK(...) DO_PRAGMA(omp task __VA_ARGS__)
#define WAIT DO_PRAGMA(omp taskwait)
#define N 4
#ifdef NOPE
#define MAYBE(x) _Pragma(#x)
#else
#define MAYBE(x)
#endif
static void set(int* x, int v) { usleep(1000); *x = v; }
int main(void) {
  int x = 0, a[N] = {0};
  OMP_TASK(inout(x)) set(&x, 1); WAIT printf("%d %d\n", x, __LINE__);
  for (int i = 0; i < N; ++i) OMP_TASK(out(a[i], x) priority(1)) { set(&a[i], i); x = i; }
  DO2(omp taskwait)
  printf("%d %d\n", a[3], x);
  _Pragma("omp task inout([N]a)") set(a, 9);
  MAYBE(omp task) x = 7;
  _Pragma ( "omp taskwait on(a)" ) printf("%d %d\n", a[0], x);
  _Pragma("GCC diagnostic push")
#pragma omp task inout(x)
  {
    for (int i = 0; i < 10; i++) if (i == 5) { x = i; goto end; }
    x = -1;
  end:;
  }
  WAIT
  printf("%d\n", x);
}
