// SPDX-License-Identifier: Apache-2.0
//
// Tasks that use memory in any order, in C++.
// flags: -std=c++17
#include <atomic>
#include <cstdio>
#include <vector>

//: commutative_element
void commutative_element() {
  std::vector<int> v(3, 0);
  for (int i = 0; i < 30; ++i) {
#pragma omp task commutative(v[i % 3]) firstprivate(i)
    v[i % 3] += i;
  }
#pragma omp taskwait
  std::printf("%d %d %d\n", v[0], v[1], v[2]);
}
//= 135 145 155
//: commutative_container
void commutative_container() {
  std::vector<int> v;
  for (int i = 0; i < 30; ++i) {
#pragma omp task commutative(v)
    v.push_back(i);
  }
#pragma omp taskwait
  int sum = 0;
  for (int x : v) sum += x;
  std::printf("%zu %d\n", v.size(), sum);
}
//= 30 435
//: concurrent_atomic
void concurrent_atomic() {
  std::atomic<int> hits{0};
  for (int i = 0; i < 50; ++i) {
#pragma omp task concurrent(hits)
    ++hits;
  }
#pragma omp taskwait on(hits)
  std::printf("%d\n", hits.load());
}
//= 50
//: commutative_template
template <class T>
void add_all(T& sum) {
  for (int i = 0; i < 20; ++i) {
#pragma omp task commutative(sum)
    sum += static_cast<T>(i);
  }
#pragma omp taskwait on(sum)
}
void commutative_template() {
  long a = 0;
  double b = 0;
  add_all(a);
  add_all(b);
  std::printf("%ld %g\n", a, b);
}
//= 190 190
