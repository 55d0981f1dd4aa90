// SPDX-License-Identifier: Apache-2.0
//
// The calls of openmp.h.
#include "base/misuse.hpp"
#include "base/sanitizers.hpp"
#include "myr/openmp.h"
#include "plat/stack_state.hpp"
#include "runtime/runtime.hpp"
#include "sync/owned_lock.hpp"

using myr::sync::OwnedLock;

namespace {

static_assert(sizeof(OwnedLock) == sizeof(myr_critical) && alignof(OwnedLock) <= 8);

// A lock in the program's memory, which nobody has constructed.
OwnedLock& lock_of(myr_critical* critical) { return *reinterpret_cast<OwnedLock*>(critical); }

// Something that no other thread has.
std::uint64_t this_thread() noexcept {
  return reinterpret_cast<std::uint64_t>(&myr::plat::critical_count);
}

}  // namespace

void myr_barrier_at(const myr_site* site) {
  if (myr::base::ThreadContext::current() != nullptr) myr_wait_all_at(site);
}

void myr_critical_enter(myr_critical* critical, const myr_site* site) {
  if (!lock_of(critical).enter(this_thread())) {
    myr::base::misuse(
        site,
        "this thread is already in this critical region, and would wait for itself: a critical "
        "region must neither contain another of the same name nor spawn tasks");
  }
  if (myr::base::is_watched_for_races()) myr::base::tell_acquire(critical);
  ++myr::plat::critical_count;
}

void myr_critical_leave(myr_critical* critical) {
  --myr::plat::critical_count;
  if (myr::base::is_watched_for_races()) myr::base::tell_release(critical);
  lock_of(critical).leave();
}

void myr_team_misuse(const myr_site* site) {
  myr::base::misuse(site,
                    "a task is spawned in a parallel region that the compiler's OpenMP runs, on a "
                    "thread that is not Myrmidon's; compile the file that contains the region with "
                    "myrcc, without -fopenmp, so that its tasks run on all of Myrmidon's threads");
}
