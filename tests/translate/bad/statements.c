/* SPDX-License-Identifier: Apache-2.0 */
void work(int* a);
int count(int* a);

void f(int* a, int n) {
  int x;
#pragma myrmics task inout(a)
  x = count(a);
#pragma myrmics task inout(a)
  {
    work(a);
  }
  if (n)
#pragma omp taskwait
    work(a);
  while (n--)
#pragma myrmics wait on(a)
    work(a);
  x = 0;
}

#define TWO(p) start(p); finish()
void start(int* p);
void finish(void);
void macro(int* p) {
#pragma omp task inout(*p)
  TWO(p);
}
