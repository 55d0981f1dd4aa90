// SPDX-License-Identifier: Apache-2.0
//
// The rim of the checks of OpenMP programs: what Watch hands over of what the program does, and
// what the runtime of teams and tasks needs of it.
//
// Threads: the one that has the baton.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "check/footprints.hpp"
#include "check/watch.hpp"

namespace myr::check::omp {

// The thread is in the checker, or, within that, in the program again.
template <bool kIsInside>
class Where {
 public:
  Where() noexcept : before_(Watch::set_inside(kIsInside)) {}
  ~Where() { Watch::set_inside(before_); }
  Where(const Where&) = delete;
  Where& operator=(const Where&) = delete;

 private:
  bool before_;
};
using Inside = Where<true>;
using Outside = Where<false>;

inline void forget_lines() noexcept { Watch::forget_lines(); }
inline std::uint64_t address_of(const void* address) noexcept {
  return reinterpret_cast<std::uint64_t>(address);
}

// The first construct of the program.
void start();
// The calling thread is one of a team from now on.
void adopt_thread();
// All of its frames are gone, except for those that run.
void forget_own_stack();
// Other threads run until that holds, and must not hold a lock of the system; each runs until it
// waits.
void wait_until(const std::function<bool()>& condition);
void let_others_run();

// ---- what Watch hands over

void look(const Touch& touch) noexcept;
// An atomic operation has been done, which may order what is around it.
void synchronize(std::uint64_t address, Watch::Atomic::Kind kind, int order) noexcept;
// The thread has taken a lock that is not OpenMP's, or is about to let it go.
void took_lock(std::uint64_t lock) noexcept;
void lets_lock_go(std::uint64_t lock) noexcept;
void allocated(std::uint64_t first, std::uint64_t bytes) noexcept;
void freed(std::uint64_t first, std::uint64_t bytes) noexcept;

}  // namespace myr::check::omp
