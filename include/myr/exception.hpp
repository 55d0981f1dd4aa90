// SPDX-License-Identifier: Apache-2.0
//
// For myr.hpp and the output of myrcc: exceptions on their way from a task to a wait_all(). Both
// ends are compiled into the program; the library only passes the exception on, which may come from
// another C++ library than its own. C++11.
#pragma once

#include <myr/myr.h>

#include <cstddef>
#include <cstdio>
#include <exception>

namespace myr {
namespace detail {

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)

inline void destroy_exception(void* object) { delete static_cast<std::exception_ptr*>(object); }

inline void rethrow_exception(void* object) {
  const std::exception_ptr exception = *static_cast<std::exception_ptr*>(object);
  destroy_exception(object);
  std::rethrow_exception(exception);
}

inline void describe_exception(void* object, char* text, std::size_t bytes) {
  try {
    std::rethrow_exception(*static_cast<std::exception_ptr*>(object));
  } catch (const std::exception& exception) {
    std::snprintf(text, bytes, "\"%s\"", exception.what());
  } catch (...) {
    std::snprintf(text, bytes, "of a type that is not a std::exception");
  }
}

// In a catch block: what was caught.
inline myr_exception caught_exception() {
  static const myr_exception_kind kind = {destroy_exception, rethrow_exception, describe_exception};
  std::exception_ptr caught = std::current_exception();
  // An exception of another language: no C++ library can keep it.
  if (caught == nullptr) caught = std::make_exception_ptr(std::bad_exception());
  const myr_exception exception = {new std::exception_ptr(caught), &kind};
  return exception;
}

// After a wait for all tasks.
inline void rethrow_failure() {
  const myr_exception failure = myr_take_failure();
  if (failure.object != nullptr) failure.kind->rethrow(failure.object);
}

#else

inline void rethrow_failure() {}

#endif

}  // namespace detail
}  // namespace myr
