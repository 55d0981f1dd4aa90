// SPDX-License-Identifier: Apache-2.0
//
// Objects that are copied into tasks and destroyed, templates, members, exceptions.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef _OPENMP
#include <myr/pragma.hpp>
#endif

#include "next.h"

namespace {

int alive = 0;  // copies that were made, less those that were destroyed
struct Counted {
  explicit Counted(int number) : value(number) { count(1); }
  Counted(const Counted& other) : value(other.value) { count(1); }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { count(-1); }
  static void count(int by) { __atomic_add_fetch(&alive, by, __ATOMIC_RELAXED); }
  int value;
};

template <class T>
struct Box {
  std::vector<T> v;
  void twice(std::size_t i) {
    NEXT(USES(v[i], INOUT));
#pragma omp task firstprivate(i)
    v[i] *= 2;
  }
};

void members() {
  Box<double> box{{1, 2, 3}};
  for (std::size_t i = 0; i < 3; ++i) box.twice(i);
  for (std::size_t i = 0; i < 3; ++i) box.twice(i);
  myr_wait_all();
  std::printf("%g %g %g\n", box.v[0], box.v[1], box.v[2]);
}

void copies() {
  std::string text = "a text that is too long for the string itself";
  int sum = 0;
  {
    const Counted counted(5);
    NEXT(USES(sum, INOUT));
#pragma omp task firstprivate(counted, text) shared(sum)
    sum += counted.value + static_cast<int>(text.size());
  }
  text = "";
  {
    const Counted counted(6);
    NEXT_WITH(MYR_NEXT_AT_ONCE, 0, USES(sum, INOUT));
#pragma omp task firstprivate(counted) shared(sum)
    sum += counted.value;
  }
  myr_wait_all();
  std::printf("%d %d\n", sum, alive);
}

void references() {
  const auto u = std::make_unique<int>(7);
  int& cell = *u;
  auto* const p = &cell;
  for (int i = 0; i < 5; ++i) {
    NEXT(USES(*u, INOUT));
#pragma omp task firstprivate(p, i)
    *p = *p * 2 + i;
  }
  myr_wait_all();
  std::printf("%d\n", cell);
}

void failures() {
  int x = 0;
  {
    NEXT(USES(x, OUT));
#pragma omp task shared(x)
    try {
      x = 1;
      throw std::runtime_error("as it should");
    } catch (...) {
#ifdef _OPENMP
      myr_task_failed(myr::detail::caught_exception());
#else
      std::printf("as it should\n");
#endif
    }
  }
#ifdef _OPENMP
  try {
    myr::pragma::wait_all(nullptr);
  } catch (const std::runtime_error& error) {
    std::printf("%s\n", error.what());
  }
#endif
}

}  // namespace

int main() {
  members();
  copies();
  references();
  failures();
}
