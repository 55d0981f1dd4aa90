// SPDX-License-Identifier: Apache-2.0
#pragma once
#pragma omp task inout(*x)
void bump(int* x);
static int bumps;
void bump(int* x) {
  *x += 1;
  bumps += 1;
}
