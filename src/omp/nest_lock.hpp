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

}  // namespace myr::omp
