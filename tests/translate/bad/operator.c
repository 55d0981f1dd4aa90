/* SPDX-License-Identifier: Apache-2.0 */
void work(int* a);

#define SPAWN(a) _Pragma("omp task inout(*a)") work(a)
void f(int* a) {
  SPAWN(a);
%:pragma omp task inout(*a)
  work(a);
}
