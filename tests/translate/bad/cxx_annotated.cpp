// SPDX-License-Identifier: Apache-2.0
template <class T>
#pragma omp task inout(*p)
void between(T* p);
