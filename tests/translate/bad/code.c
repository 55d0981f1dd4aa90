/* SPDX-License-Identifier: Apache-2.0 */
void work(int* a);

void f(int* a) {
  int x = y;
#pragma omp task inout(*a)
  work(a, x);
}
