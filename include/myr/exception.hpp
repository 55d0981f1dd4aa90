// SPDX-License-Identifier: Apache-2.0
//
// For myr.hpp and the output of myrcc: exceptions on their way from a task to a wait_all(). Both
// ends are compiled into the program; the library only passes the exception on, which may come from
// another C++ library than its own. C++11.
#pragma once

#include <cxxabi.h>
#include <myr/frontend.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>

namespace myr {
inline namespace v0 {

// What a wait throws in place of an exception of another process, unless its type is one of the
// standard library's that a text describes.
class RemoteError : public std::runtime_error {
 public:
  RemoteError(const std::string& type, const std::string& what)
      : std::runtime_error(what), type_(type) {}
  // The name of the exception's type, as the compiler has it.
  const std::string& type() const noexcept { return type_; }

 private:
  std::string type_;
};

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

inline void name_exception(void* object, char* type, std::size_t type_bytes, char* what,
                           std::size_t what_bytes) {
  const char* text = "";
  try {
    try {
      std::rethrow_exception(*static_cast<std::exception_ptr*>(object));
    } catch (const RemoteError& exception) {  // on its way for the second time
      std::snprintf(type, type_bytes, "%s", exception.type().c_str());
      std::snprintf(what, what_bytes, "%s", exception.what());
      return;
    } catch (const std::exception& exception) {
      text = exception.what();
      throw;
    }
  } catch (...) {
    const std::type_info* const thrown = abi::__cxa_current_exception_type();
    std::snprintf(type, type_bytes, "%s", thrown == nullptr ? "" : thrown->name());
    std::snprintf(what, what_bytes, "%s", text);
  }
}

// Makes one, unless there is one, if the type has this name; by throwing it, so that no typeid is
// needed.
template <class T>
void revive_as(std::exception_ptr& made, const char* type, const char* what) {
  if (made != nullptr) return;
  try {
    throw T(what);
  } catch (...) {
    const char* const name = abi::__cxa_current_exception_type()->name();
    if (std::strcmp(name, type) == 0) made = std::current_exception();
  }
}

inline void* revive_exception(const char* type, const char* what) {
  std::exception_ptr made;
  revive_as<std::runtime_error>(made, type, what);
  revive_as<std::logic_error>(made, type, what);
  revive_as<std::invalid_argument>(made, type, what);
  revive_as<std::domain_error>(made, type, what);
  revive_as<std::length_error>(made, type, what);
  revive_as<std::out_of_range>(made, type, what);
  revive_as<std::range_error>(made, type, what);
  revive_as<std::overflow_error>(made, type, what);
  revive_as<std::underflow_error>(made, type, what);
  if (made == nullptr) made = std::make_exception_ptr(RemoteError(type, what));
  return new std::exception_ptr(made);
}

inline const myr_exception_kind* exception_kind() {
  static const myr_exception_kind kind = {sizeof kind,        destroy_exception, rethrow_exception,
                                          describe_exception, name_exception,    revive_exception};
  return &kind;
}

// In a catch block: what was caught there is no C++ exception. If it is the thread's end, by
// pthread_exit(), the program is told: nothing may stop that.
inline void refuse_thread_exit() {
#if defined(__GLIBCXX__)
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    myr_task_failed(myr_exception{nullptr, nullptr});
  } catch (...) {
  }
#endif
}

// In a catch block: what was caught.
inline std::exception_ptr caught() {
  const std::exception_ptr current = std::current_exception();
  if (current != nullptr) return current;
  refuse_thread_exit();
  // An exception of another language: no C++ library can keep it.
  return std::make_exception_ptr(std::bad_exception());
}

// For the library, which owns it from now on.
inline myr_exception hand_over(const std::exception_ptr& exception) {
  const myr_exception handed = {new std::exception_ptr(exception), exception_kind()};
  return handed;
}

inline myr_exception caught_exception() { return hand_over(caught()); }

// Makes it an exception of a task of the caller's, so that it is not lost. `site`: that task's.
inline void pass_on(const std::exception_ptr& exception, const myr_site* site) {
  myr_pass_on_at(hand_over(exception), site);
}

// Thrown to end a task, or a part of a loop, whose failure has been handed over already.
struct Taken {};

// In a catch block: the running task has failed.
inline void report_failure() {
  try {
    throw;
  } catch (const Taken&) {
  } catch (...) {
    myr_task_failed(caught_exception());
  }
}

inline void rethrow_if_any(const myr_exception& failure) {
  if (failure.object != nullptr) failure.kind->rethrow(failure.object);
}
// After a wait for all tasks.
inline void rethrow_failure() { rethrow_if_any(myr_take_failure()); }
// Waits for the events of the running task.
inline void await_events() { rethrow_if_any(myr_await_events()); }

#else

inline void pass_on(const std::exception_ptr&, const myr_site*) {}
inline void rethrow_failure() {}
inline void await_events() { static_cast<void>(myr_await_events()); }

#endif

}  // namespace detail
}  // namespace v0
}  // namespace myr
