// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp and pragma.hpp: what a program that is compiled for ThreadSanitizer, or for
// `myr check`, says of itself. C++14, as pragma.hpp.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define MYR_TSAN_ 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MYR_TSAN_ 1
#endif
#endif

#if defined(MYR_TSAN_)
extern "C" void AnnotateIgnoreReadsBegin(const char* file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char* file, int line);
// Of `myr check`, if it runs the program.
extern "C" __attribute__((weak)) void myr_checks_cut();
#endif

namespace myr {
inline namespace v0 {
namespace detail {

// What is read meanwhile may be of no use, and is no race.
struct Glance {
#if defined(MYR_TSAN_)
  Glance() noexcept { AnnotateIgnoreReadsBegin(__FILE__, __LINE__); }
  ~Glance() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
#endif
};

// How a loop is cut into parts may change what comes out.
inline void note_cut() noexcept {
#if defined(MYR_TSAN_)
  if (&myr_checks_cut != nullptr) myr_checks_cut();
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace myr
