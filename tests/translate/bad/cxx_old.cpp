// SPDX-License-Identifier: Apache-2.0
// flags: -std=c++11
void work(int* a);

void f(int* a) {
#pragma omp task inout(*a)
  work(a);
#pragma omp taskwait
}
