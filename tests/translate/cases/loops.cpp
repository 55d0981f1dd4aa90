// SPDX-License-Identifier: Apache-2.0
// Loops whose tasks declare what their own iterations use, and steps that are replayed, in C++.
#include <array>
#include <cstddef>
#include <cstdio>
#include <list>
#include <memory>
#include <stdexcept>
#include <vector>

template <class A>
static int sum_of(const A& a) {
  int sum = 0;
  for (const auto& x : a) sum = (sum * 3 + static_cast<int>(x)) % 10007;
  return sum;
}
//: elements_of_a_vector
void elements_of_a_vector() {
  std::vector<int> a(100), b(100);
  for (std::size_t step = 0; step < 6; ++step) {
#pragma omp taskloop nogroup in(b[i - 1], b[i + 1]) inout(a[i])
    for (std::size_t i = 1; i < a.size() - 1; ++i) {
      a[i] = static_cast<int>((b[i - 1] + b[i + 1] + i + step) % 1009);
    }
#pragma omp taskloop nogroup in(a[i]) out(b[i]) grainsize(9)
    for (std::size_t i = 0; i < a.size(); ++i) b[i] = a[i] + 1;
  }
#pragma omp taskwait
  std::printf("%d %d\n", sum_of(a), sum_of(b));
}
//= 2772 5269
//: elements_behind_pointers
void elements_behind_pointers() {
  std::vector<std::unique_ptr<int>> all;
  for (int i = 0; i < 20; ++i) all.push_back(std::make_unique<int>(i));
  int* const first = all[0].get();
  const auto* const begin = all.data();
#pragma myrmics loop inout(*begin[i])
  for (int i = 0; i < 20; i++) *begin[i] += i;
#pragma omp taskwait on(*first)
  std::printf("%d\n", *first);
#pragma omp taskwait
  int sum = 0;
  for (const auto& one : all) sum += *one;
  std::printf("%d\n", sum);
}
//= 0
//= 380
//: loop_in_a_template
template <class T, std::size_t N>
void fill(std::array<T, N>& to) {
#pragma omp taskloop nogroup out(to[i])
  for (auto i = std::size_t{0}; i < N; ++i) to[i] = static_cast<T>(2 * i);
}
void loop_in_a_template() {
  std::array<int, 30> a;
  std::array<double, 7> b;
  fill(a);
  fill(b);
#pragma omp taskwait
  std::printf("%d %d\n", sum_of(a), sum_of(b));
}
//= 9109 1086
//: graph_left_by_an_exception
void graph_left_by_an_exception() {
  std::vector<int> a(6);
  int caught = 0;
  for (int step = 0; step < 8; ++step) {
    try {
#pragma omp taskgraph
      {
        for (std::size_t k = 0; k < a.size(); ++k) {
#pragma omp task inout(a[k])
          a[k] += step;
          if (step % 3 == 1 && k == 2) throw std::runtime_error("left");
        }
      }
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
#pragma omp taskwait
  std::printf("%d %d\n", caught, sum_of(a));
}
//= 3 29
//: iterations_that_nobody_can_count
void iterations_that_nobody_can_count() {
  std::list<int> all{1, 2, 3};
  int sum = 0;
#pragma omp taskloop shared(sum)
  //! cannot be counted
  for (auto it = all.begin(); it != all.end(); ++it) sum += *it;
}
