// SPDX-License-Identifier: Apache-2.0
//
// Calls of a program under `myr check` that allocate and free memory, also of libraries that are
// not compiled for it.
#include <malloc.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "check/next_call.hpp"
#include "check/seen.hpp"
#include "check/watch.hpp"

using myr::check::Doubt;
using myr::check::Watch;

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
void forget(void* old, const void* place) {
  if (old != nullptr) Watch::gives_back(old, malloc_usable_size(old), place);
}

}  // namespace

CALL void* malloc(std::size_t bytes) { return note(__libc_malloc(bytes), bytes, PLACE); }
CALL void* calloc(std::size_t count, std::size_t bytes) {
  return note(__libc_calloc(count, bytes), count * bytes, PLACE);
}
CALL void* realloc(void* old, std::size_t bytes) {
  forget(old, PLACE);
  return note(__libc_realloc(old, bytes), bytes, PLACE);
}
CALL void free(void* old) {
  forget(old, PLACE);
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
  myr::check::Seen(PLACE).writes(made);
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

namespace {
void give_back(void* old, const void* place) {
  forget(old, place);
  __libc_free(old);
}
}  // namespace
void operator delete(void* old) noexcept { give_back(old, PLACE); }
void operator delete[](void* old) noexcept { give_back(old, PLACE); }
void operator delete(void* old, std::size_t) noexcept { give_back(old, PLACE); }
void operator delete[](void* old, std::size_t) noexcept { give_back(old, PLACE); }
void operator delete(void* old, std::align_val_t) noexcept { give_back(old, PLACE); }
void operator delete[](void* old, std::align_val_t) noexcept { give_back(old, PLACE); }
void operator delete(void* old, std::size_t, std::align_val_t) noexcept { give_back(old, PLACE); }
void operator delete[](void* old, std::size_t, std::align_val_t) noexcept { give_back(old, PLACE); }

// Pages that the program gets by itself.
CALL void* mmap(void* wanted, std::size_t bytes, int rights, int flags, int file, off_t offset) {
  void* const made = NEXT(mmap)(wanted, bytes, rights, flags, file, offset);
  if (made == MAP_FAILED || !Watch::instance().is_checked(PLACE)) return made;
  // The same bytes may be in another place, too.
  constexpr int kBoth = PROT_WRITE | MAP_SHARED;
  if (((rights & PROT_WRITE) | (flags & MAP_SHARED)) == kBoth && file >= 0) {
    Watch::does(Doubt::SharedPages, PLACE);
  }
  return note(made, bytes, PLACE);
}
CALL int munmap(void* first, std::size_t bytes) {
  Watch::gives_back(first, bytes, PLACE);
  return NEXT(munmap)(first, bytes);
}
