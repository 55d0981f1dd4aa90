// SPDX-License-Identifier: Apache-2.0
//
// What `myr omp --stats` prints: how often each region, loop and task ran, and how long, by its
// place in the source. Only a second build of the library does that (MYR_OMP_OBSERVED); in the
// usual one nothing of this is left.
//
// Threads: each adds to a table of its own; the tables are read when the process ends.
#pragma once

#include <cstdint>

#include "plat/clock.hpp"

namespace myr::omp {

enum class Construct : std::uint8_t { Region, Loop, Task };

// Adds one execution. `code`: an address whose line is the construct's.
#ifdef MYR_OMP_OBSERVED
void observe(Construct construct, const void* code, std::uint64_t ticks) noexcept;
#endif
// A function's address.
template <class Function>
[[nodiscard]] const void* code_of(Function* function) noexcept {
  return reinterpret_cast<const void*>(function);
}

// A construct that runs from here to the end of the scope. Without code: none.
class Span {
 public:
#ifdef MYR_OMP_OBSERVED
  Span(Construct construct, const void* code) noexcept
      : construct_(construct), code_(code), begun_(plat::ticks()) {}
  ~Span() {
    if (code_ != nullptr) observe(construct_, code_, plat::ticks() - begun_);
  }
#else
  Span(Construct, const void*) noexcept {}
#endif
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

#ifdef MYR_OMP_OBSERVED
 private:
  Construct construct_;
  const void* code_;
  std::uint64_t begun_;
#endif
};

// The loop in which a thread is, if loops are observed; else nothing.
class ObservedLoop {
 public:
  void begin([[maybe_unused]] const void* return_address) noexcept {
#ifdef MYR_OMP_OBSERVED
    code_ = static_cast<const char*>(return_address) - 1;  // inside the call, not behind it
    begun_ = plat::ticks();
#endif
  }
  void end() noexcept {
#ifdef MYR_OMP_OBSERVED
    if (code_ != nullptr) observe(Construct::Loop, code_, plat::ticks() - begun_);
    code_ = nullptr;
#endif
  }

#ifdef MYR_OMP_OBSERVED
 private:
  const void* code_ = nullptr;
  std::uint64_t begun_ = 0;
#endif
};

}  // namespace myr::omp
