// SPDX-License-Identifier: Apache-2.0
#include "runtime/uncaught.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>

#include "base/format.hpp"
#include "base/misuse.hpp"

namespace myr::runtime {

namespace {

// The last one that a thread has rethrown. Where another one does so at the same time, the
// exception that ends the process may be told without its task.
struct Rethrown {
  const void* exception = nullptr;
  const myr_site* site = nullptr;
};
std::mutex rethrown_lock;
Rethrown rethrown;  // guarded by it

Rethrown last_rethrown() {
  const std::scoped_lock lock(rethrown_lock);
  return rethrown;
}

constinit std::terminate_handler handler_before = nullptr;

// A pointer to a std::exception_ptr, which is a pointer to the exception itself.
const void* exception_in(const void* pointer) noexcept {
  const void* exception = nullptr;
  std::memcpy(&exception, pointer, sizeof exception);
  return exception;
}

void on_terminate() {
  std::exception_ptr current = std::current_exception();
  const Rethrown last = last_rethrown();
  if (current != nullptr && exception_in(&current) == last.exception) {
    const base::Exception it = base::Exception::caught();
    base::misuse(last.site,
                 base::format("the task spawned here ended with an exception {}, which a wait has "
                              "rethrown and nobody has caught",
                              it.describe()));
  }
  if (handler_before != nullptr) handler_before();
  std::abort();
}

// When the library is loaded: so the program's own handler, if it sets one, is the one that counts.
__attribute__((constructor)) void set_handler() {
  handler_before = std::set_terminate(on_terminate);
}

}  // namespace

void note_rethrown(const base::Failure& failure) {
  static_assert(sizeof(std::exception_ptr) == sizeof(void*));
  const std::scoped_lock lock(rethrown_lock);
  rethrown = {exception_in(failure.exception.get().object), failure.site};
}

}  // namespace myr::runtime
