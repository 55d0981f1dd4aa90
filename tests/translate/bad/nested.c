/* SPDX-License-Identifier: Apache-2.0 */
void work(int* a);

void f(int* a) {
  void inner(int* b) { work(b); }
#pragma omp task inout(*a)
  inner(a);
}
