// SPDX-License-Identifier: Apache-2.0
//
// Lives of a process with a machine: how it starts, forks and ends. A case plays one; run.py knows
// how each must end. What goes wrong says so on stderr.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <myr/myr.hpp>
#include <span>

namespace life {

constexpr int kWrong = 9;

[[noreturn]] inline void wrong(const char* text) {
  std::fprintf(stderr, "%s\n", text);
  _exit(kWrong);
}
inline void expect(bool condition, const char* text) {
  if (!condition) wrong(text);
}

// Is the machine there, and right?
inline int count_with_tasks(int tasks) {
  int sum = 0;
  for (int i = 0; i < tasks; ++i) myr::spawn([](int& total) { ++total; }, myr::inout(sum));
  myr::wait(myr::in(sum));
  return sum;
}

struct Case {
  const char* name;
  int (*play)();
};
std::span<const Case> forks();
std::span<const Case> guests();
std::span<const Case> ends();
std::span<const Case> stacks();

}  // namespace life
