// SPDX-License-Identifier: Apache-2.0
//
// Locks that a program under `myr check` takes and lets go: mutexes, reader and writer locks, spin
// locks, semaphores; and what only the first of several does.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "check/next_call.hpp"
#include "check/watch.hpp"
#include "myr/openmp.h"

using myr::check::Doubt;
using myr::check::Watch;

namespace {
int note(int status, const volatile void* lock, bool is_shared, const void* place) {
  if (status == 0) Watch::locked(lock, is_shared, place);
  return status;
}
}  // namespace

#define TAKE(name, Lock, is_shared) \
  CALL int name(Lock* lock) { return note(NEXT(name)(lock), lock, is_shared, PLACE); }
#define TAKE_UNTIL(name, Lock, is_shared)                        \
  CALL int name(Lock* lock, const timespec* time) {              \
    return note(NEXT(name)(lock, time), lock, is_shared, PLACE); \
  }
#define TAKE_BY_CLOCK(name, Lock, is_shared)                            \
  CALL int name(Lock* lock, clockid_t clock, const timespec* time) {    \
    return note(NEXT(name)(lock, clock, time), lock, is_shared, PLACE); \
  }
#define LET_GO(name, Lock)    \
  CALL int name(Lock* lock) { \
    Watch::unlocks(lock);     \
    return NEXT(name)(lock);  \
  }

TAKE(pthread_mutex_lock, pthread_mutex_t, false)
TAKE(pthread_mutex_trylock, pthread_mutex_t, false)
TAKE_UNTIL(pthread_mutex_timedlock, pthread_mutex_t, false)
TAKE_BY_CLOCK(pthread_mutex_clocklock, pthread_mutex_t, false)
LET_GO(pthread_mutex_unlock, pthread_mutex_t)

TAKE(pthread_rwlock_rdlock, pthread_rwlock_t, true)
TAKE(pthread_rwlock_tryrdlock, pthread_rwlock_t, true)
TAKE_UNTIL(pthread_rwlock_timedrdlock, pthread_rwlock_t, true)
TAKE_BY_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t, true)
TAKE(pthread_rwlock_wrlock, pthread_rwlock_t, false)
TAKE(pthread_rwlock_trywrlock, pthread_rwlock_t, false)
TAKE_UNTIL(pthread_rwlock_timedwrlock, pthread_rwlock_t, false)
TAKE_BY_CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t, false)
LET_GO(pthread_rwlock_unlock, pthread_rwlock_t)

TAKE(pthread_spin_lock, pthread_spinlock_t, false)
TAKE(pthread_spin_trylock, pthread_spinlock_t, false)
LET_GO(pthread_spin_unlock, pthread_spinlock_t)

TAKE(mtx_lock, mtx_t, false)
TAKE(mtx_trylock, mtx_t, false)
TAKE_UNTIL(mtx_timedlock, mtx_t, false)
LET_GO(mtx_unlock, mtx_t)

TAKE(sem_wait, sem_t, false)
TAKE(sem_trywait, sem_t, false)
TAKE_UNTIL(sem_timedwait, sem_t, false)
TAKE_BY_CLOCK(sem_clockwait, sem_t, false)
LET_GO(sem_post, sem_t)

// `omp critical`, as myrcc translates it.
CALL void myr_critical_enter(myr_critical* critical, const myr_site* site) {
  NEXT(myr_critical_enter)(critical, site);
  Watch::locked(critical, false, PLACE);
}
CALL void myr_critical_leave(myr_critical* critical) {
  Watch::unlocks(critical);
  NEXT(myr_critical_leave)(critical);
}

CALL int pthread_once(pthread_once_t* once, void (*first)(void)) {
  if (*once == PTHREAD_ONCE_INIT) Watch::does(Doubt::Statics, PLACE);
  Watch::leave_alone();
  const int status = NEXT(pthread_once)(once, first);
  Watch::watch_again();
  return status;
}
// A static variable's first use is one task's, whichever that is.
extern "C" {
int __cxa_guard_acquire(void*);
void __cxa_guard_release(void*);
void __cxa_guard_abort(void*);
}
CALL int __cxa_guard_acquire(void* guard) {
  const int is_first = NEXT(__cxa_guard_acquire)(guard);
  if (is_first == 0) return 0;
  Watch::does(Doubt::Statics, PLACE);
  Watch::leave_alone();
  return is_first;
}
CALL void __cxa_guard_release(void* guard) {
  NEXT(__cxa_guard_release)(guard);
  Watch::watch_again();
}
CALL void __cxa_guard_abort(void* guard) {
  NEXT(__cxa_guard_abort)(guard);
  Watch::watch_again();
}
