// SPDX-License-Identifier: Apache-2.0
//
// JobTable: pointers to a kernel's objects, in memory that each process of an MPI job has at the
// same place. So the body of a loop finds its objects by number, wherever it runs.
//
// Threads: fill() before the tasks that look there.
#pragma once

#include <myr/myr.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace kernels {

// REQUIRES: a variable with static storage.
template <class T>
class JobTable {
 public:
  // Element i is at(i). Ends the program if there is no room.
  template <class At>
  void fill(std::size_t count, At at) {
    if (count > kMax) {
      std::fprintf(stderr, "no room in a table for %zu objects\n", count);
      std::exit(1);
    }
    for (std::size_t i = 0; i < count; ++i) pointers_[i] = at(i);
    myr_publish(pointers_, count * sizeof(T*));
  }
  [[nodiscard]] T* operator[](std::size_t i) const { return pointers_[i]; }
  [[nodiscard]] T* const* data() const { return pointers_; }

 private:
  static constexpr std::size_t kMax = std::size_t{1} << 20;
  T* pointers_[kMax];
};

}  // namespace kernels
