/* SPDX-License-Identifier: Apache-2.0 */
void work(int* a);

#define SPAWN _Pragma("omp task inout(*a)")
void f(int* a) {
  _Pragma("myrmics task inout(a)") work(a);
%:pragma omp task inout(*a)
  work(a);
}
