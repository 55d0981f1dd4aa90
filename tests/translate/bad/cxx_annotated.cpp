// SPDX-License-Identifier: Apache-2.0
#pragma omp task inout(*p)
template <class T>
void templated(T* p);

template <class T>
#pragma omp task inout(*p)
void between(T* p);
