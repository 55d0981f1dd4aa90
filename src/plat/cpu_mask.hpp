// SPDX-License-Identifier: Apache-2.0
//
// The processors to which the calling thread is bound, by taskset, a batch system or itself.
#pragma once

#include <sched.h>

namespace myr::plat {

// Room for more processors than cpu_set_t has bits for.
class CpuMask {
 public:
  CpuMask() noexcept { CPU_ZERO_S(sizeof sets_, sets_); }
  // False if the kernel refuses, for instance because it counts even more processors.
  // `process`: 0 is the calling thread.
  [[nodiscard]] bool read(pid_t process = 0) noexcept {
    return sched_getaffinity(process, sizeof sets_, sets_) == 0;
  }
  void add(unsigned cpu) noexcept { CPU_SET_S(cpu, sizeof sets_, sets_); }
  void remove(unsigned cpu) noexcept { CPU_CLR_S(cpu, sizeof sets_, sets_); }
  [[nodiscard]] bool has(unsigned cpu) const noexcept {
    return CPU_ISSET_S(cpu, sizeof sets_, sets_);
  }
  [[nodiscard]] int count() const noexcept { return CPU_COUNT_S(sizeof sets_, sets_); }
  [[nodiscard]] bool apply() const noexcept {
    return sched_setaffinity(0, sizeof sets_, sets_) == 0;
  }
  static constexpr unsigned kCpusMax = 16 * CPU_SETSIZE;

 private:
  cpu_set_t sets_[16];
};

// Processors that the calling thread may run on, whatever quota of their time it has. At least 1.
[[nodiscard]] inline unsigned bound_cpu_count() noexcept {
  CpuMask mask;
  const int count = mask.read() ? mask.count() : 1;
  return count < 1 ? 1 : static_cast<unsigned>(count);
}

}  // namespace myr::plat
