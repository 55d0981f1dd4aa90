// SPDX-License-Identifier: Apache-2.0
//
// What only LLVM's library offers: the calls kmp_... of its omp.h; locks, memory and threadprivate
// variables by __kmpc_...; and those omp_... calls whose arguments differ from libgomp's, which
// libomp_names.ld gives their names.
#include <pthread.h>
#include <sched.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "omp/abi.hpp"
#include "omp/kmpc.hpp"
#include "omp/locks.hpp"
#include "omp/nest_lock.hpp"
#include "omp/places.hpp"

using namespace myr::omp;

MYR_OMP_API void GOMP_atomic_start();
MYR_OMP_API void GOMP_atomic_end();
MYR_OMP_API void* omp_alloc(std::size_t bytes, std::uintptr_t handle);
MYR_OMP_API void* omp_aligned_alloc(std::size_t align, std::size_t bytes, std::uintptr_t handle);
MYR_OMP_API void* omp_calloc(std::size_t count, std::size_t bytes, std::uintptr_t handle);
MYR_OMP_API void* omp_realloc(void* block, std::size_t bytes, std::uintptr_t handle,
                              std::uintptr_t old);
MYR_OMP_API void omp_free(void* block, std::uintptr_t handle);
MYR_OMP_API std::uintptr_t omp_init_allocator(std::uintptr_t space, int count, const void* traits);
MYR_OMP_API void omp_destroy_allocator(std::uintptr_t handle);
MYR_OMP_API void omp_set_default_allocator(std::uintptr_t handle);
MYR_OMP_API std::uintptr_t omp_get_default_allocator();

// ---- Locks: eight bytes in the program, of which a simple one uses four. A nested one is a
// pointer.

namespace {

NestLock& nest_of(void** place) {
  if (*place == nullptr) fail("a nestable lock is used before omp_init_nest_lock()");
  return *static_cast<NestLock*>(*place);
}

}  // namespace

MYR_OMP_API void myr_kmp_init_nest_lock(void** place) {
  auto* nest = static_cast<NestLock*>(std::calloc(1, sizeof(NestLock)));
  if (nest == nullptr) fail("Out of memory for a nestable lock");
  *place = nest;
}
MYR_OMP_API void myr_kmp_init_nest_lock_with_hint(void** place, int) {
  myr_kmp_init_nest_lock(place);
}
MYR_OMP_API void myr_kmp_destroy_nest_lock(void** place) {
  std::free(*place);
  *place = nullptr;
}
MYR_OMP_API void myr_kmp_set_nest_lock(void** place) {
  set_nested(&nest_of(place), self().at.task, true);
}
MYR_OMP_API void myr_kmp_unset_nest_lock(void** place) { unset_nested(&nest_of(place)); }
MYR_OMP_API int myr_kmp_test_nest_lock(void** place) {
  return set_nested(&nest_of(place), self().at.task, false);
}

MYR_OMP_API void __kmpc_init_lock(const Ident*, int, Mutex* lock) { lock->reset(); }
MYR_OMP_API void __kmpc_init_lock_with_hint(const Ident*, int, Mutex* lock, std::uintptr_t) {
  lock->reset();
}
MYR_OMP_API void __kmpc_destroy_lock(const Ident*, int, Mutex*) {}
MYR_OMP_API void __kmpc_set_lock(const Ident*, int, Mutex* lock) { take(*lock); }
MYR_OMP_API void __kmpc_unset_lock(const Ident*, int, Mutex* lock) { leave(*lock); }
MYR_OMP_API int __kmpc_test_lock(const Ident*, int, Mutex* lock) { return try_take(*lock) ? 1 : 0; }
MYR_OMP_API void __kmpc_init_nest_lock(const Ident*, int, void** place) {
  myr_kmp_init_nest_lock(place);
}
MYR_OMP_API void __kmpc_init_nest_lock_with_hint(const Ident*, int, void** place, std::uintptr_t) {
  myr_kmp_init_nest_lock(place);
}
MYR_OMP_API void __kmpc_destroy_nest_lock(const Ident*, int, void** place) {
  myr_kmp_destroy_nest_lock(place);
}
MYR_OMP_API void __kmpc_set_nest_lock(const Ident*, int, void** place) {
  myr_kmp_set_nest_lock(place);
}
MYR_OMP_API void __kmpc_unset_nest_lock(const Ident*, int, void** place) {
  myr_kmp_unset_nest_lock(place);
}
MYR_OMP_API int __kmpc_test_nest_lock(const Ident*, int, void** place) {
  return myr_kmp_test_nest_lock(place);
}
MYR_OMP_API void __kmpc_atomic_start() { GOMP_atomic_start(); }
MYR_OMP_API void __kmpc_atomic_end() { GOMP_atomic_end(); }

// ---- Memory

MYR_OMP_API void* __kmpc_alloc(int, std::size_t bytes, std::uintptr_t handle) {
  return omp_alloc(bytes, handle);
}
MYR_OMP_API void* __kmpc_aligned_alloc(int, std::size_t align, std::size_t bytes,
                                       std::uintptr_t handle) {
  return omp_aligned_alloc(align, bytes, handle);
}
MYR_OMP_API void* __kmpc_calloc(int, std::size_t count, std::size_t bytes, std::uintptr_t handle) {
  return omp_calloc(count, bytes, handle);
}
MYR_OMP_API void* __kmpc_realloc(int, void* block, std::size_t bytes, std::uintptr_t handle,
                                 std::uintptr_t old) {
  return omp_realloc(block, bytes, handle, old);
}
MYR_OMP_API void __kmpc_free(int, void* block, std::uintptr_t handle) { omp_free(block, handle); }
MYR_OMP_API std::uintptr_t __kmpc_init_allocator(int, std::uintptr_t space, int count,
                                                 const void* traits) {
  return omp_init_allocator(space, count, traits);
}
MYR_OMP_API void __kmpc_destroy_allocator(int, std::uintptr_t handle) {
  omp_destroy_allocator(handle);
}
MYR_OMP_API void __kmpc_set_default_allocator(int, std::uintptr_t handle) {
  omp_set_default_allocator(handle);
}
MYR_OMP_API std::uintptr_t __kmpc_get_default_allocator(int) { return omp_get_default_allocator(); }

MYR_OMP_API void* kmp_malloc(std::size_t bytes) { return std::malloc(bytes); }
MYR_OMP_API void* kmp_aligned_malloc(std::size_t bytes, std::size_t align) {
  void* block = nullptr;
  return posix_memalign(&block, align < sizeof(void*) ? sizeof(void*) : align, bytes) == 0
             ? block
             : nullptr;
}
MYR_OMP_API void* kmp_calloc(std::size_t count, std::size_t bytes) {
  return std::calloc(count, bytes);
}
MYR_OMP_API void* kmp_realloc(void* block, std::size_t bytes) { return std::realloc(block, bytes); }
MYR_OMP_API void kmp_free(void* block) { std::free(block); }

// ---- threadprivate without thread-local storage (-fnoopenmp-use-tls)

namespace {

struct PrivateVariable {
  void* original;
  std::size_t bytes = 0;
  void* (*construct)(void* copy) = nullptr;
  void* (*copy_construct)(void* copy, void* original) = nullptr;
  void (*destroy)(void* copy) = nullptr;
  PrivateVariable* next = nullptr;
};
PrivateVariable* variables = nullptr;  // guarded by locks.private_copies; never removed

PrivateVariable& variable_of(void* original) {
  const Lock lock(locks.private_copies);
  for (PrivateVariable* at = variables; at != nullptr; at = at->next) {
    if (at->original == original) return *at;
  }
  variables = new PrivateVariable{.original = original, .next = variables};
  return *variables;
}

// The copies of one thread; they end with it.
struct PrivateCopies {
  static constexpr std::size_t kLine = 64;
  struct Copy {
    const PrivateVariable* variable;
    void* memory;
  };
  std::vector<Copy> all;

  ~PrivateCopies() {
    for (const Copy& copy : all) {
      if (copy.variable->destroy != nullptr) copy.variable->destroy(copy.memory);
      std::free(copy.memory);
    }
  }
  void* get(const PrivateVariable& variable) {
    for (const Copy& copy : all) {
      if (copy.variable == &variable) return copy.memory;
    }
    const std::size_t bytes = (variable.bytes + kLine - 1) / kLine * kLine;
    void* memory = std::aligned_alloc(kLine, bytes);  // as LLVM's are: the type is not known
    if (memory == nullptr) fail("Out of memory allocating %zu bytes", bytes);
    std::memset(memory, 0, bytes);
    if (variable.construct != nullptr) {
      variable.construct(memory);
    } else if (variable.copy_construct != nullptr) {
      variable.copy_construct(memory, variable.original);
    } else {
      std::memcpy(memory, variable.original, variable.bytes);
    }
    all.push_back({&variable, memory});
    return memory;
  }
};
thread_local PrivateCopies private_copies;

}  // namespace

MYR_OMP_API void __kmpc_threadprivate_register(const Ident*, void* original,
                                               void* (*construct)(void*),
                                               void* (*copy_construct)(void*, void*),
                                               void (*destroy)(void*)) {
  PrivateVariable& variable = variable_of(original);
  variable.construct = construct;
  variable.copy_construct = copy_construct;
  variable.destroy = destroy;
}
// The calling thread's copy; the first thread has the original.
MYR_OMP_API void* __kmpc_threadprivate_cached(const Ident*, int, void* original, std::size_t bytes,
                                              void***) {
  if (self().number == 0) return original;
  PrivateVariable& variable = variable_of(original);
  variable.bytes = bytes;
  return private_copies.get(variable);
}
MYR_OMP_API void* __kmpc_threadprivate(const Ident* ident, int number, void* original,
                                       std::size_t bytes) {
  return __kmpc_threadprivate_cached(ident, number, original, bytes, nullptr);
}

// ---- What kmp_... asks for and sets

namespace {

constexpr std::size_t kUsualStackBytes = std::size_t{8} << 20;
constexpr int kUsualBlocktime = 200;  // milliseconds
enum Library : int { kSerial = 1, kTurnaround = 2, kThroughput = 3 };

// Only told to the program again: threads learn by themselves how long to wait.
int blocktime = kUsualBlocktime;
int library = kThroughput;

cpu_set_t& set_of(void** mask) noexcept { return *static_cast<cpu_set_t*>(*mask); }
bool is_cpu(int cpu) noexcept { return cpu >= 0 && cpu < CPU_SETSIZE; }

}  // namespace

MYR_OMP_API std::size_t kmp_get_stacksize_s() {
  return settings.stack_bytes != 0 ? settings.stack_bytes : kUsualStackBytes;
}
MYR_OMP_API int kmp_get_stacksize() {
  const std::size_t bytes = kmp_get_stacksize_s();
  return bytes > INT_MAX ? INT_MAX : static_cast<int>(bytes);
}
MYR_OMP_API void kmp_set_stacksize_s(std::size_t bytes) { settings.stack_bytes = bytes; }
MYR_OMP_API void kmp_set_stacksize(int bytes) {
  if (bytes > 0) settings.stack_bytes = static_cast<std::size_t>(bytes);
}
MYR_OMP_API int kmp_get_blocktime() {
  if (settings.wait_policy >= 0) return settings.wait_policy == 0 ? 0 : INT_MAX;
  return blocktime;
}
MYR_OMP_API void kmp_set_blocktime(int milliseconds) {
  blocktime = milliseconds < 0 ? 0 : milliseconds;
  settings.wait_policy = blocktime == 0 ? 0 : blocktime == INT_MAX ? 1 : -1;
}
MYR_OMP_API int kmp_get_library() { return library; }
MYR_OMP_API void kmp_set_library(int value) {
  if (value >= kSerial && value <= kThroughput) library = value;
}
MYR_OMP_API void kmp_set_library_serial() { library = kSerial; }
MYR_OMP_API void kmp_set_library_turnaround() { library = kTurnaround; }
MYR_OMP_API void kmp_set_library_throughput() { library = kThroughput; }
MYR_OMP_API void kmp_set_defaults(const char*) {}
MYR_OMP_API void kmp_set_disp_num_buffers(int) {}
MYR_OMP_API void kmp_set_warnings_on() {}
MYR_OMP_API void kmp_set_warnings_off() {}
MYR_OMP_API int kmp_get_cancellation_status(int kind) {
  return is_cancelled(self(), 1U << (kind - 1)) ? 1 : 0;
}

MYR_OMP_API int kmp_get_affinity_max_proc() { return CPU_SETSIZE; }
MYR_OMP_API void kmp_create_affinity_mask(void** mask) {
  *mask = std::calloc(1, sizeof(cpu_set_t));
}
MYR_OMP_API void kmp_destroy_affinity_mask(void** mask) {
  std::free(*mask);
  *mask = nullptr;
}
MYR_OMP_API int kmp_set_affinity_mask_proc(int cpu, void** mask) {
  if (!is_cpu(cpu)) return -1;
  CPU_SET(static_cast<unsigned>(cpu), &set_of(mask));
  return 0;
}
MYR_OMP_API int kmp_unset_affinity_mask_proc(int cpu, void** mask) {
  if (!is_cpu(cpu)) return -1;
  CPU_CLR(static_cast<unsigned>(cpu), &set_of(mask));
  return 0;
}
MYR_OMP_API int kmp_get_affinity_mask_proc(int cpu, void** mask) {
  return is_cpu(cpu) && CPU_ISSET(static_cast<unsigned>(cpu), &set_of(mask)) ? 1 : 0;
}
MYR_OMP_API int kmp_set_affinity(void** mask) {
  return pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), &set_of(mask));
}
MYR_OMP_API int kmp_get_affinity(void** mask) {
  return pthread_getaffinity_np(pthread_self(), sizeof(cpu_set_t), &set_of(mask));
}

// ---- Their forms for Fortran, with `_`, that take pointers to numbers. The other ones are in
// libomp_names.ld.

#define MYR_FORTRAN(Return, name, T) \
  MYR_OMP_API Return name##_(const T* value) { return name(*value); }
MYR_FORTRAN(void, kmp_set_stacksize, int)
MYR_FORTRAN(void, kmp_set_stacksize_s, std::size_t)
MYR_FORTRAN(void, kmp_set_blocktime, int)
MYR_FORTRAN(void, kmp_set_library, int)
MYR_FORTRAN(void, kmp_set_disp_num_buffers, int)
MYR_FORTRAN(int, kmp_get_cancellation_status, int)
MYR_FORTRAN(void*, kmp_malloc, std::size_t)
#undef MYR_FORTRAN
MYR_OMP_API void* kmp_aligned_malloc_(const std::size_t* bytes, const std::size_t* align) {
  return kmp_aligned_malloc(*bytes, *align);
}
MYR_OMP_API void* kmp_calloc_(const std::size_t* count, const std::size_t* bytes) {
  return kmp_calloc(*count, *bytes);
}
MYR_OMP_API void kmp_free_(void* const* block) { kmp_free(*block); }
MYR_OMP_API void* kmp_realloc_(void* const* block, const std::size_t* bytes) {
  return kmp_realloc(*block, *bytes);
}
#define MYR_FORTRAN_MASK(name) \
  MYR_OMP_API int name##_(const int* cpu, void** mask) { return name(*cpu, mask); }
MYR_FORTRAN_MASK(kmp_set_affinity_mask_proc)
MYR_FORTRAN_MASK(kmp_unset_affinity_mask_proc)
MYR_FORTRAN_MASK(kmp_get_affinity_mask_proc)
#undef MYR_FORTRAN_MASK

// ---- omp_... that libgomp does not have, or understands otherwise

MYR_OMP_API void omp_get_schedule(std::uint32_t* kind, int* chunk);
// The schedule as it was said; static, if nobody said anything.
MYR_OMP_API void myr_kmp_get_schedule(std::uint32_t* kind, int* chunk) {
  const std::uint32_t said = self().at.task->icv->schedule;
  omp_get_schedule(kind, chunk);
  if ((said & kUnsaid) == 0) return;
  if ((said & kMonotonic) == 0) *chunk = 0;
  *kind = kStatic;
}

MYR_OMP_API void omp_display_affinity(const char* format);
MYR_OMP_API std::size_t omp_capture_affinity(char* buffer, std::size_t room, const char* format);
MYR_OMP_API void myr_kmp_display_affinity(const char* format) {
  describe_as_llvm();
  omp_display_affinity(format);
}
MYR_OMP_API std::size_t myr_kmp_capture_affinity(char* buffer, std::size_t room,
                                                 const char* format) {
  describe_as_llvm();
  return omp_capture_affinity(buffer, room, format);
}

MYR_OMP_API int omp_in_explicit_task() { return self().at.task->depth != 0 ? 1 : 0; }
MYR_OMP_API int omp_in_explicit_task_() { return omp_in_explicit_task(); }
MYR_OMP_API int omp_control_tool(int, int, void*) {
  return -2;  // there is no tool
}
MYR_OMP_API void* omp_get_mapped_ptr(const void* place, int) { return const_cast<void*>(place); }
MYR_OMP_API int omp_target_is_accessible(const void*, std::size_t, int) { return 1; }
