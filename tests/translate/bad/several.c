/* SPDX-License-Identifier: Apache-2.0 */
#pragma omp task inout(*x)
void one(int* x), two(int* x);
