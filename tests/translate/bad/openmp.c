// SPDX-License-Identifier: Apache-2.0
int omp_get_thread_num(void);
int counter;
int f(int n, double* a) {
#pragma omp parallel
  {
    int id = omp_get_thread_num();
#pragma omp single
    {
#pragma omp task
      a[id] = omp_get_thread_num();
      if (n) return 1;
    }
  }
#pragma omp critical
  {
#pragma omp taskwait
  }
#pragma omp taskloop
  for (double x = 0; x < 3; x += 1) a[0] = x;
#pragma omp taskloop firstprivate(n)
  for (n = 0; n < 3; n += 1) a[n] = n;
#pragma omp parallel private(counter)
#pragma omp single
#pragma omp task
  a[3] = 1;
#pragma omp taskgroup task_reduction(+ : a)
  {
#pragma omp task in_reduction(+ : a)
    a = a;
  }
#pragma omp parallel for
  for (int i = 0; i < 3; i++) {
#pragma omp task
    a[i] = 0;
    if (n) break;
  }
#pragma omp atomic
  a[0] = f(n, a);
#pragma omp taskloop collapse(2)
  for (int i = 0; i < 3; i++)
    for (n = 0; n < 3; n++) a[i] = n;
  return 0;
}
