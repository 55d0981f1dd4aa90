// SPDX-License-Identifier: Apache-2.0
//
// Allocators. All predefined ones give memory of malloc; one of the program's own may have an
// alignment, a limit, and what to do when that is reached.
#include <cstdlib>
#include <cstring>
#include <new>

#include "omp/abi.hpp"
#include "omp/team.hpp"

using namespace myr::omp;

namespace {

enum Trait : int {
  kAlignment = 2,
  kPoolSize = 4,
  kFallback = 5,
  kFallbackData = 6,
};
enum FallbackKind : std::uintptr_t {
  kDefaultMemory = 11,
  kNull = 12,
  kAbort = 13,
  kOtherAllocator = 14,
};
constexpr std::uintptr_t kPredefinedMax = 1024;  // LLVM's for devices among them
constexpr std::uintptr_t kDefaultAllocator = 1;
constexpr std::uintptr_t kDeviceSpaces = 100;  // LLVM's for the host, for both, for a device

struct Allocator {
  std::size_t align = 1;
  std::size_t pool_bytes = ~std::size_t{0};
  std::uintptr_t fallback = kDefaultMemory;
  std::uintptr_t fallback_allocator = 0;
  myr::sync::Atomic<std::size_t> used{0};  // any thread
};

struct RequestedTrait {
  int key;
  std::uintptr_t value;
};

// Before each block.
struct Header {
  void* start;        // what malloc gave
  std::size_t bytes;  // asked for
  std::size_t taken;  // in all
  Allocator* allocator;
};

std::uintptr_t default_allocator() { return self().at.task->icv->allocator; }

bool reserve(Allocator& allocator, std::size_t bytes) noexcept {
  std::size_t used = allocator.used.load(myr::sync::relaxed);
  do {
    if (bytes > allocator.pool_bytes - used) return false;
  } while (!allocator.used.compare_exchange_weak(used, used + bytes, myr::sync::relaxed,
                                                 myr::sync::relaxed));
  return true;
}

void* try_allocate(Allocator* allocator, std::size_t align, std::size_t bytes) {
  if (align < alignof(std::max_align_t)) align = alignof(std::max_align_t);
  if (allocator != nullptr && allocator->align > align) align = allocator->align;
  const std::size_t taken = bytes + sizeof(Header) + align;
  if (taken < bytes) return nullptr;
  if (allocator != nullptr && !reserve(*allocator, taken)) return nullptr;
  void* start = std::malloc(taken);
  if (start == nullptr) {
    if (allocator != nullptr) allocator->used.fetch_sub(taken, myr::sync::relaxed);
    return nullptr;
  }
  const auto first = reinterpret_cast<std::uintptr_t>(start) + sizeof(Header);
  const std::uintptr_t block = (first + align - 1) & ~(align - 1);
  new (reinterpret_cast<void*>(block - sizeof(Header))) Header{start, bytes, taken, allocator};
  return reinterpret_cast<void*>(block);
}

void* allocate(std::size_t align, std::size_t bytes, std::uintptr_t handle) {
  if (bytes == 0) return nullptr;
  for (;;) {
    if (handle == 0) handle = default_allocator();
    auto* allocator = handle > kPredefinedMax ? reinterpret_cast<Allocator*>(handle) : nullptr;
    void* block = try_allocate(allocator, align, bytes);
    if (block != nullptr) return block;
    const std::uintptr_t fallback = allocator != nullptr ? allocator->fallback : kDefaultMemory;
    if (fallback == kNull) return nullptr;
    if (fallback == kAbort) fail("Out of memory allocating %zu bytes", bytes);
    if (fallback == kOtherAllocator) {
      handle = allocator->fallback_allocator;
    } else if (allocator == nullptr) {
      return nullptr;
    } else {
      handle = kDefaultAllocator;
      if (allocator->align > align) align = allocator->align;
    }
  }
}

Header& header_of(void* block) noexcept { return static_cast<Header*>(block)[-1]; }

void release(void* block) {
  if (block == nullptr) return;
  const Header header = header_of(block);
  if (header.allocator != nullptr) {
    header.allocator->used.fetch_sub(header.taken, myr::sync::relaxed);
  }
  std::free(header.start);
}

void* allocate_zeroed(std::size_t align, std::size_t count, std::size_t bytes,
                      std::uintptr_t handle) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) return nullptr;
  void* block = allocate(align, total, handle);
  if (block != nullptr) std::memset(block, 0, total);
  return block;
}

}  // namespace

MYR_OMP_API std::uintptr_t omp_init_allocator(std::uintptr_t space, int count, const void* list) {
  const auto* traits = static_cast<const RequestedTrait*>(list);
  if (space > 4 && space - kDeviceSpaces > 2) return 0;
  auto* made = new (std::nothrow) Allocator;
  if (made == nullptr) return 0;
  bool is_valid = true;
  for (int i = 0; i < count; ++i) {
    const std::uintptr_t value = traits[i].value;
    const bool usual = value == ~std::uintptr_t{0};
    switch (traits[i].key) {
      case kAlignment:
        if (usual) break;
        is_valid = is_valid && value != 0 && (value & (value - 1)) == 0;
        made->align = value;
        break;
      case kPoolSize:
        made->pool_bytes = usual ? ~std::size_t{0} : value;
        break;
      case kFallback:
        if (usual) break;
        is_valid = is_valid && value >= kDefaultMemory && value <= kOtherAllocator;
        made->fallback = value;
        break;
      case kFallbackData:
        made->fallback_allocator = value;
        break;
      default:
        is_valid = is_valid && traits[i].key >= 1 && traits[i].key <= 8;
        break;
    }
    if (traits[i].key == 7 && value == 1) is_valid = false;  // pinned memory is not offered
  }
  if (is_valid) return reinterpret_cast<std::uintptr_t>(made);
  delete made;
  return 0;
}
MYR_OMP_API void omp_destroy_allocator(std::uintptr_t handle) {
  if (handle > kPredefinedMax) delete reinterpret_cast<Allocator*>(handle);
}
MYR_OMP_API void omp_set_default_allocator(std::uintptr_t handle) {
  change_icv([handle](Icv& icv) { icv.allocator = handle == 0 ? kDefaultAllocator : handle; });
}
MYR_OMP_API std::uintptr_t omp_get_default_allocator() { return default_allocator(); }
MYR_OMP_API void* omp_alloc(std::size_t bytes, std::uintptr_t handle) {
  return allocate(1, bytes, handle);
}
MYR_OMP_API void* omp_aligned_alloc(std::size_t align, std::size_t bytes, std::uintptr_t handle) {
  return allocate(align, bytes, handle);
}
MYR_OMP_API void* omp_calloc(std::size_t count, std::size_t bytes, std::uintptr_t handle) {
  return allocate_zeroed(1, count, bytes, handle);
}
MYR_OMP_API void* omp_aligned_calloc(std::size_t align, std::size_t count, std::size_t bytes,
                                     std::uintptr_t handle) {
  return allocate_zeroed(align, count, bytes, handle);
}
MYR_OMP_API void omp_free(void* block, std::uintptr_t) { release(block); }
MYR_OMP_API void* omp_realloc(void* block, std::size_t bytes, std::uintptr_t handle,
                              std::uintptr_t) {
  if (block == nullptr) return allocate(1, bytes, handle);
  if (bytes == 0) {
    release(block);
    return nullptr;
  }
  const Header old = header_of(block);
  if (handle == 0) handle = reinterpret_cast<std::uintptr_t>(old.allocator);
  // What it had does not count against the limit while it is replaced.
  if (old.allocator != nullptr) old.allocator->used.fetch_sub(old.taken, myr::sync::relaxed);
  void* moved = allocate(1, bytes, handle);
  if (moved == nullptr) {
    if (old.allocator != nullptr) old.allocator->used.fetch_add(old.taken, myr::sync::relaxed);
    return nullptr;
  }
  std::memcpy(moved, block, old.bytes < bytes ? old.bytes : bytes);
  std::free(old.start);
  return moved;
}
MYR_OMP_API void* GOMP_alloc(std::size_t align, std::size_t bytes, std::uintptr_t handle) {
  void* block = allocate(align, bytes, handle);
  if (block == nullptr && bytes != 0) fail("Out of memory allocating %zu bytes", bytes);
  return block;
}
MYR_OMP_API void GOMP_free(void* block, std::uintptr_t) { release(block); }
