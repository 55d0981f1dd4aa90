/* SPDX-License-Identifier: Apache-2.0 */
void work(int* a);
int count(int* a);

#pragma omp task in(*a)
int global;

#pragma omp taskwait

#pragma myrmics task in(a)
void late(int* a);

#pragma omp task inout(*a)
struct s {
  int x;
};

#pragma omp task inout(*a)
int result(int* a);
