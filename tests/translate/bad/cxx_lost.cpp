// SPDX-License-Identifier: Apache-2.0
// Changes of copies by algorithms and through the begins of arrays, and what changes nothing.
#include <algorithm>
#include <numeric>
#include <vector>

void lost(std::vector<int> v, const std::vector<int>& c) {
  int done = 0, a[3] = {1, 2, 3};
#pragma omp task inout(done)
  {
    done += std::accumulate(v.begin(), v.end(), 0) + *std::find(v.begin(), v.end(), 2);
    std::vector<int> own(2);
    std::copy(c.begin(), c.end(), own.begin());
    std::copy(v.begin(), v.end(), own.begin());
    std::sort(own.begin(), own.end());
    const int* const q = a + 1;
    done += own[0] + *(a + 1) + (a + 1)[0] + *q;
  }
#pragma omp task inout(v)
  std::sort(v.begin(), v.end());
#pragma omp task inout(done)
  {
    std::sort(v.begin(), v.end());
    ++done;
  }
#pragma omp task inout(done)
  {
    std::fill(a + 1, a + 3, 7);
    ++done;
  }
#pragma omp task inout(done)
  {
    *(a + 1) = 2;
    ++done;
  }
#pragma omp task inout(done)
  {
    std::copy(c.begin(), c.end(), v.begin());
    return;
  }
}
