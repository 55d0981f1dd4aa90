// SPDX-License-Identifier: Apache-2.0
int counter;
#pragma omp threadprivate(counter)
void f(int n, double* a) {
#pragma omp task detach(n)
  a[0] = 0;
#pragma omp cancel taskgroup
#pragma omp flush
#pragma omp target
  a[0] = 1;
#pragma omp taskwait nowait
#pragma omp taskgroup task_reduction(mine : n)
  {}
#pragma omp task depend(sink : n)
  a[1] = 0;
#pragma omp parallel copyin(counter)
  {}
}
