// SPDX-License-Identifier: Apache-2.0
//
// Entry points of critical sections and locks. A lock of the present interface belongs to the one
// that sets it, a nested one to a task; those of OpenMP 2.5 (version OMP_1.0) to a thread.
#include "omp/abi.hpp"
#include "omp/gomp_calls.h"
#include "omp/locks.hpp"
#include "omp/nest_lock.hpp"
#include "omp/team.hpp"

using namespace myr::omp;

MYR_OMP_API void myr_kmp_init_nest_lock(void** place);
MYR_OMP_API void myr_kmp_destroy_nest_lock(void** place);
MYR_OMP_API void myr_kmp_set_nest_lock(void** place);
MYR_OMP_API void myr_kmp_unset_nest_lock(void** place);
MYR_OMP_API int myr_kmp_test_nest_lock(void** place);

namespace {

alignas(64) Mutex critical_lock;

// A critical name is a pointer of zeros, shared by all objects of the program: its first bytes are
// the lock.
Mutex& lock_of(void** name) noexcept { return *reinterpret_cast<Mutex*>(name); }

// The word of an old nested lock is the number of its owner; a number for each thread.
std::uint32_t thread_number() {
  static myr::sync::Atomic<std::uint32_t> last{0};
  static constinit thread_local std::uint32_t mine = 0;
  if (mine == 0) mine = last.fetch_add(1, myr::sync::relaxed) + 1;
  return mine;
}

}  // namespace

MYR_OMP_API void GOMP_critical_start() { take(critical_lock); }
MYR_OMP_API void GOMP_critical_end() { leave(critical_lock); }
MYR_OMP_API void GOMP_critical_name_start(void** name) { take(lock_of(name)); }
MYR_OMP_API void GOMP_critical_name_end(void** name) { leave(lock_of(name)); }
MYR_OMP_API void GOMP_atomic_start() { take(locks.atomics); }
MYR_OMP_API void GOMP_atomic_end() { leave(locks.atomics); }

// Defines NAME with its Fortran form, as the default version and as that of OpenMP 2.5. What a
// function is called in here does not matter: the linker gets both names.
#define MYR_VERSIONS(name, now, old)                 \
  __asm__(".symver " #now "," #name "@@OMP_3.0");    \
  __asm__(".symver " #old "," #name "@OMP_1.0");     \
  __asm__(".symver " #now "_f," #name "_@@OMP_3.0"); \
  __asm__(".symver " #old "_f," #name "_@OMP_1.0");

// Fortran's variable for a nested lock has eight bytes: those of OpenMP 2.5 lie in them, and else
// it is a pointer, as LLVM's are in each language.
#define MYR_LOCK_CALL(Return, name, Now, now, Fortran, fortran, Old, old)                          \
  MYR_OMP_API Return myr_now_##name(Now* lock){now} MYR_OMP_API Return myr_now_##name##_f(         \
      Fortran* lock){fortran} MYR_OMP_API Return myr_old_##name(Old* lock){old} MYR_OMP_API Return \
      myr_old_##name##_f(Old* lock){old} MYR_VERSIONS(omp_##name, myr_now_##name, myr_old_##name)
#define MYR_SIMPLE_LOCK_CALL(Return, name, body) \
  MYR_LOCK_CALL(Return, name, Mutex, body, Mutex, body, Mutex, body)

MYR_SIMPLE_LOCK_CALL(void, init_lock, lock->reset();)
MYR_SIMPLE_LOCK_CALL(void, destroy_lock, static_cast<void>(lock);)
MYR_SIMPLE_LOCK_CALL(void, set_lock, take(*lock);)
MYR_SIMPLE_LOCK_CALL(void, unset_lock, leave(*lock);)
MYR_SIMPLE_LOCK_CALL(int, test_lock, return try_take(*lock) ? 1 : 0;)
MYR_LOCK_CALL(void, init_nest_lock, NestLock, clear(lock);, void*, myr_kmp_init_nest_lock(lock);
              , OldNestLock, lock->owner.store(0, myr::sync::relaxed); lock->depth = 0;)
MYR_LOCK_CALL(void, destroy_nest_lock, NestLock, static_cast<void>(lock);
              , void*, myr_kmp_destroy_nest_lock(lock);, OldNestLock, static_cast<void>(lock);)
MYR_LOCK_CALL(void, set_nest_lock, NestLock, set_nested(lock, self().at.task, true);
              , void*, myr_kmp_set_nest_lock(lock);
              , OldNestLock, set_nested(lock, thread_number(), true);)
MYR_LOCK_CALL(void, unset_nest_lock, NestLock, unset_nested(lock);
              , void*, myr_kmp_unset_nest_lock(lock);, OldNestLock, unset_nested(lock);)
MYR_LOCK_CALL(int, test_nest_lock, NestLock, return set_nested(lock, self().at.task, false);
              , void*, return myr_kmp_test_nest_lock(lock);
              , OldNestLock, return set_nested(lock, thread_number(), false);)
#undef MYR_SIMPLE_LOCK_CALL
#undef MYR_LOCK_CALL
#undef MYR_VERSIONS

MYR_OMP_API void omp_init_lock_with_hint(Mutex* lock, int) { lock->reset(); }
MYR_OMP_API void omp_init_nest_lock_with_hint(NestLock* lock, int) { clear(lock); }
