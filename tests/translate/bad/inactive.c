/* SPDX-License-Identifier: Apache-2.0 */
void work(int* a);

void f(int* a) {
#if 0
#pragma omp task this is not even looked at
#endif
#ifdef __has_feature
  work(a);
#else
#pragma omp task inout(*a)
  work(a);
#endif
#pragma omp taskwait
}

#ifdef __has_feature
typedef int number;
#else
typedef double number;
#endif
