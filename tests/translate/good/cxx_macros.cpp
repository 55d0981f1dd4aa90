// SPDX-License-Identifier: Apache-2.0
//
// Statements that begin with a macro's argument. flags: -std=c++17
#include <cstdio>
#include <vector>

#define AT(a, i) a[(i)]

int main() {
  std::vector<int> a(6);
  int b[6] = {};
#pragma omp task inout(AT(a, 3))
  AT(a, 3)++;
#pragma omp task inout(AT(b, 2))
  AT(b, 2) += 7;
#pragma omp taskwait
  std::printf("%d %d\n", a[3], b[2]);
}
