// SPDX-License-Identifier: Apache-2.0
#pragma omp task inout(*p)
void overloaded(int* p);
void overloaded(double* p);

template <class T>
void caller(T* p) {
  overloaded(p);
}
