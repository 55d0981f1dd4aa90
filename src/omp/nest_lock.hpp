// SPDX-License-Identifier: Apache-2.0
//
// Locks that their owner, a task, may set again. Zeros are an unlocked one.
#pragma once

#include "omp/team.hpp"
#include "omp/wait.hpp"

namespace myr::omp {

struct NestLock {
  Mutex lock;
  int depth;
  sync::Atomic<const void*> owner;  // compared with oneself only
};
static_assert(sizeof(NestLock) == 16, "omp_nest_lock_t has 16 bytes");

inline void clear(NestLock* nest) noexcept {
  nest->lock.reset();
  nest->depth = 0;
  nest->owner.store(nullptr, sync::relaxed);
}

// 0: another has it. Else how often it is set now.
inline int set_nested(NestLock* nest, const void* owner, bool waits) noexcept {
  if (nest->owner.load(sync::relaxed) != owner) {
    if (waits) {
      take(nest->lock);
    } else if (!try_take(nest->lock)) {
      return 0;
    }
    nest->owner.store(owner, sync::relaxed);
  }
  return ++nest->depth;
}

inline void unset_nested(NestLock* nest) noexcept {
  if (--nest->depth != 0) return;
  nest->owner.store(nullptr, sync::relaxed);
  leave(nest->lock);
}

// Those of OpenMP 2.5 belong to a thread, each of which has a number.
struct OldNestLock {
  sync::Atomic<std::uint32_t> owner;  // 0: nobody
  int depth;
};

inline int set_nested(OldNestLock* nest, std::uint32_t owner, bool waits) noexcept {
  while (nest->owner.load(sync::relaxed) != owner) {
    std::uint32_t nobody = 0;
    // [omp.mutex]
    if (nest->owner.compare_exchange_strong(nobody, owner, sync::acquire, sync::relaxed)) break;
    if (!waits) return 0;
    nap_while(nest->owner, nobody);
  }
  return ++nest->depth;
}

inline void unset_nested(OldNestLock* nest) noexcept {
  // [omp.mutex] The next owner sees what we wrote.
  if (--nest->depth == 0) nest->owner.store(0, sync::release);
}

}  // namespace myr::omp
