// SPDX-License-Identifier: Apache-2.0
#include "plat/memory.hpp"

#include <sys/mman.h>

#include <cerrno>

#include "base/contract.hpp"

namespace myr::plat {
namespace {
void* pointer_to(std::uintptr_t address) noexcept { return reinterpret_cast<void*>(address); }
constexpr int kLazily = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
constexpr int kUsable = PROT_READ | PROT_WRITE;

void* map(std::size_t bytes, int access) noexcept {
  void* memory = mmap(nullptr, bytes, access, kLazily, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

int map_at(std::uintptr_t first, std::size_t bytes, int access) noexcept {
  void* got = mmap(pointer_to(first), bytes, access, kLazily | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return errno;
  if (got == pointer_to(first)) return 0;
  munmap(got, bytes);  // a kernel older than 4.17 takes the address for a mere hint
  return EEXIST;
}

}  // namespace

int reserve_at(std::uintptr_t first, std::size_t bytes) noexcept {
  return map_at(first, bytes, PROT_NONE);
}

int map_zeros_at(std::uintptr_t first, std::size_t bytes) noexcept {
  return map_at(first, bytes, PROT_READ);
}

void* reserve(std::size_t bytes) noexcept { return map(bytes, PROT_NONE); }

bool commit(std::uintptr_t first, std::size_t bytes) noexcept {
  return mprotect(pointer_to(first), bytes, kUsable) == 0;
}

bool commit_fresh(std::uintptr_t first, std::size_t bytes) noexcept {
  return mmap(pointer_to(first), bytes, kUsable, kLazily | MAP_FIXED, -1, 0) != MAP_FAILED;
}

void decommit(std::uintptr_t first, std::size_t bytes) noexcept {
  MYR_ASSERT(madvise(pointer_to(first), bytes, MADV_DONTNEED) == 0);
}

void release(std::uintptr_t first, std::size_t bytes) noexcept {
  MYR_ASSERT(munmap(pointer_to(first), bytes) == 0);
}

void* map_zeros(std::size_t bytes) noexcept { return map(bytes, PROT_READ); }

void* map_lazily(std::size_t bytes) noexcept { return map(bytes, kUsable); }

}  // namespace myr::plat
