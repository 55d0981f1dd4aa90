// SPDX-License-Identifier: Apache-2.0
//
// A race between the threads of a region, for ThreadSanitizer to find: what the library tells it of
// regions must not hide those of programs.
#include <omp.h>

int main(void) {
  static int last;
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 4; ++i) last = i;
  }
  return last < 0;
}
