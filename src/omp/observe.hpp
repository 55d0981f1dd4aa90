// SPDX-License-Identifier: Apache-2.0
//
// What `myr omp --stats` and `--trace` show: how often each region, loop and task ran, how long and
// when, by its place in the source, and when threads waited. Only a second build of the library
// does that (MYR_OMP_OBSERVED); in the usual one nothing of this is left.
//
// Threads: each records for itself; the records are read when the process ends.
#pragma once

#include <cstdint>

namespace myr::omp {

enum class Construct : std::uint8_t {
  Region,  // as its first thread sees it
  Part,    // of another thread in a region
  Loop,
  Task,
};

enum class Rest : std::uint8_t {
  InTeam,     // at a barrier, for tasks or for a lock
  OutOfWork,  // between two regions
};

#ifdef MYR_OMP_OBSERVED
// Begins an execution of a construct. `code`: an address whose line is the construct's. Returns
// what observe_end() wants: how many others are open around it.
[[nodiscard]] unsigned observe_begin(Construct construct, const void* code) noexcept;
// Ends it, and those inside it that nobody has ended.
void observe_end(unsigned outer_count) noexcept;
// The calling thread rests, and falls asleep meanwhile or wakes up. Inside another rest: nothing.
[[nodiscard]] bool observe_rest(Rest rest) noexcept;
void observe_sleep() noexcept;
void observe_rest_end() noexcept;
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
  Span(Construct construct, const void* code) noexcept : is_open_(code != nullptr) {
    if (is_open_) outer_count_ = observe_begin(construct, code);
  }
  ~Span() {
    if (is_open_) observe_end(outer_count_);
  }
#else
  Span(Construct, const void*) noexcept {}
#endif
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

#ifdef MYR_OMP_OBSERVED
 private:
  bool is_open_;
  unsigned outer_count_ = 0;
#endif
};

// The loop in which a thread is, if loops are observed; else nothing.
class ObservedLoop {
 public:
  void begin([[maybe_unused]] const void* return_address) noexcept {
#ifdef MYR_OMP_OBSERVED
    // Inside the call, not behind it.
    outer_count_ = observe_begin(Construct::Loop, static_cast<const char*>(return_address) - 1);
    is_open_ = true;
#endif
  }
  void end() noexcept {
#ifdef MYR_OMP_OBSERVED
    if (is_open_) observe_end(outer_count_);
    is_open_ = false;
#endif
  }

#ifdef MYR_OMP_OBSERVED
 private:
  unsigned outer_count_ = 0;
  bool is_open_ = false;
#endif
};

// The code of a team's region, if regions are observed; else nothing.
class ObservedCode {
 public:
#ifdef MYR_OMP_OBSERVED
  void set(const void* code) noexcept { code_ = code; }
  [[nodiscard]] const void* get() const noexcept { return code_; }

 private:
  const void* code_ = nullptr;
#else
  void set(const void*) noexcept {}
  [[nodiscard]] const void* get() const noexcept { return nullptr; }
#endif
};

// The calling thread has nothing to do from here to the end of the scope.
class Resting {
 public:
#ifdef MYR_OMP_OBSERVED
  explicit Resting(Rest rest) noexcept : is_outermost_(observe_rest(rest)) {}
  ~Resting() {
    if (is_outermost_) observe_rest_end();
  }
  void falls_asleep() noexcept {
    if (is_outermost_) observe_sleep();
  }
#else
  explicit Resting(Rest) noexcept {}
  ~Resting() {}  // not trivial: a variable of this type is never "unused"
  void falls_asleep() noexcept {}
#endif
  Resting(const Resting&) = delete;
  Resting& operator=(const Resting&) = delete;

#ifdef MYR_OMP_OBSERVED
 private:
  bool is_outermost_;
#endif
};

}  // namespace myr::omp
