// SPDX-License-Identifier: Apache-2.0
// flags: -std=c++20
// OmpSs-2 in C++: #pragma oss.
#include <cstdio>
#include <numeric>
#include <vector>

//: in_templates_and_methods
template <class T>
struct Series {
  std::vector<T> values;
  T total = 0;
#pragma oss task inout(total) in(values)
  void add() { total += std::accumulate(values.begin(), values.end(), T()); }
  void fill(T first) {
    T* const data = values.data();
    const std::size_t n = values.size();
#pragma oss taskloop out(data[i]) grainsize(3)
    for (std::size_t i = 0; i < n; ++i) data[i] = first + static_cast<T>(i);
  }
};
void in_templates_and_methods() {
  Series<double> series{std::vector<double>(10)};
  series.fill(2);
#pragma oss taskwait
  series.add();
  series.add();
#pragma oss taskwait on(series.total)
  std::printf("%g\n", series.total);
#pragma oss taskwait
}
//= 130
//: references_and_sums
template <class T>
T dot(const std::vector<T>& a, const std::vector<T>& b) {
  T sum = 0;
  const std::size_t part = 4;
  for (std::size_t k = 0; k < a.size(); k += part) {
#pragma oss task in(a[k;part], b[k;part]) reduction(+ : sum)
    for (std::size_t i = k; i < k + part; ++i) sum += a[i] * b[i];
  }
#pragma oss taskwait in(sum)
  return sum;
}
void references_and_sums() {
  std::vector<long> a(20), b(20, 3);
  std::iota(a.begin(), a.end(), 1L);
  std::printf("%ld\n", dot(a, b));
}
//= 630
//: iterations_of_a_range
void iterations_of_a_range() {
  std::vector<int> cells(6, 1);
  const std::vector<int> factors{2, 3, 5, 7};
#pragma oss taskiter
  for (const int factor : factors) {
    for (int& cell : cells) {
#pragma oss task inout(cell) firstprivate(factor)
      cell = (cell * factor + 1) % 1009;
    }
  }
#pragma oss taskwait
  int next = 0;
#pragma oss task inout(cells) onready(++next)
  cells[0] += cells[5];
#pragma oss taskwait
  std::printf("%d %d\n", cells[0], cells[1]);
}
//= 716 358
