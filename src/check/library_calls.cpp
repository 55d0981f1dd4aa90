// SPDX-License-Identifier: Apache-2.0
//
// Calls of the C library that a program under `myr check` makes: what they touch, allocate and
// free. Of libraries that are not compiled for it, only the memory is noted.
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "check/watch.hpp"

using myr::check::Watch;

#define PLACE __builtin_return_address(0)
#define CALL extern "C" __attribute__((visibility("default")))

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

void* note(void* made, std::size_t bytes, const void* place) {
  if (made != nullptr) Watch::got(made, bytes, place);
  return made;
}
void forget(void* old) {
  if (old != nullptr) Watch::gave_back(old, malloc_usable_size(old));
}

// The next definition of a function behind this library's.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void touch(const void* first, std::size_t bytes, bool writes, const void* place) {
  if (bytes != 0 && Watch::instance().is_checked(place)) Watch::touch(first, bytes, writes, place);
}

}  // namespace

CALL void* malloc(std::size_t bytes) { return note(__libc_malloc(bytes), bytes, PLACE); }
CALL void* calloc(std::size_t count, std::size_t bytes) {
  return note(__libc_calloc(count, bytes), count * bytes, PLACE);
}
CALL void* realloc(void* old, std::size_t bytes) {
  forget(old);
  return note(__libc_realloc(old, bytes), bytes, PLACE);
}
CALL void free(void* old) {
  forget(old);
  __libc_free(old);
}
CALL void* memalign(std::size_t alignment, std::size_t bytes) {
  return note(__libc_memalign(alignment, bytes), bytes, PLACE);
}
CALL void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return note(__libc_memalign(alignment, bytes), bytes, PLACE);
}
CALL int posix_memalign(void** made, std::size_t alignment, std::size_t bytes) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  *made = note(__libc_memalign(alignment, bytes), bytes, PLACE);
  return *made == nullptr ? ENOMEM : 0;
}

namespace {
template <class Make>
void* make_or_throw(Make make, std::size_t bytes, const void* place) {
  for (;;) {
    if (void* const made = make()) return note(made, bytes, place);
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void* make_aligned(std::size_t bytes, std::align_val_t alignment, const void* place) {
  return make_or_throw([&] { return __libc_memalign(static_cast<std::size_t>(alignment), bytes); },
                       bytes, place);
}
}  // namespace

// The C++ library's call malloc(), which would not tell where in the program.
void* operator new(std::size_t bytes) {
  return make_or_throw([&] { return __libc_malloc(bytes == 0 ? 1 : bytes); }, bytes, PLACE);
}
void* operator new[](std::size_t bytes) {
  return make_or_throw([&] { return __libc_malloc(bytes == 0 ? 1 : bytes); }, bytes, PLACE);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return make_aligned(bytes, alignment, PLACE);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return make_aligned(bytes, alignment, PLACE);
}

CALL void* memcpy(void* to, const void* from, std::size_t bytes) {
  static auto* const copy = next<void*(void*, const void*, std::size_t)>("memmove");
  touch(from, bytes, false, PLACE);
  touch(to, bytes, true, PLACE);
  return copy(to, from, bytes);
}
CALL void* memmove(void* to, const void* from, std::size_t bytes) {
  static auto* const copy = next<void*(void*, const void*, std::size_t)>("memmove");
  touch(from, bytes, false, PLACE);
  touch(to, bytes, true, PLACE);
  return copy(to, from, bytes);
}
CALL void* memset(void* to, int value, std::size_t bytes) {
  static auto* const fill = next<void*(void*, int, std::size_t)>("memset");
  touch(to, bytes, true, PLACE);
  return fill(to, value, bytes);
}

// What a lock protects has its order from it.
CALL int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static auto* const lock = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  const int status = lock(mutex);
  if (status == 0) Watch::leave_alone();
  return status;
}
CALL int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  static auto* const lock = next<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  const int status = lock(mutex);
  if (status == 0) Watch::leave_alone();
  return status;
}
CALL int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  static auto* const unlock = next<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  Watch::watch_again();
  return unlock(mutex);
}
// A static variable's first use is one task's, whichever that is.
CALL int __cxa_guard_acquire(void* guard) {
  static auto* const acquire = next<int(void*)>("__cxa_guard_acquire");
  const int is_first = acquire(guard);
  if (is_first != 0) Watch::leave_alone();
  return is_first;
}
CALL void __cxa_guard_release(void* guard) {
  static auto* const release = next<void(void*)>("__cxa_guard_release");
  release(guard);
  Watch::watch_again();
}
CALL void __cxa_guard_abort(void* guard) {
  static auto* const abort = next<void(void*)>("__cxa_guard_abort");
  abort(guard);
  Watch::watch_again();
}

namespace {
constexpr int kFound = 66;  // the exit status, as ThreadSanitizer has it
// Runs behind the program's last destructors.
__attribute__((destructor)) void end_check() {
  if (!Watch::instance().sum_up()) return;
  std::fflush(nullptr);
  _exit(kFound);
}
}  // namespace
