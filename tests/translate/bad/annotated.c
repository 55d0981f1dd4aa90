/* SPDX-License-Identifier: Apache-2.0 */
#pragma omp task inout([n]a)
void scale(double* a, int n);

#pragma omp task inout(n)
void copied(int n);

#pragma omp task in([count] a)
void unknown(double* a, int n);

#pragma omp task in(a)
void pointer(double* a);
