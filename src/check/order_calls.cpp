// SPDX-License-Identifier: Apache-2.0
//
// Calls of the C library by which a program under `myr check` gets values that differ from run to
// run, or does something beside the tasks.
#include <pthread.h>
#include <sys/random.h>
#include <sys/time.h>

#include <cstdlib>
#include <ctime>

#include "check/seen.hpp"

using myr::check::Doubt;
using myr::check::Watch;

SEEN(int, clock_gettime, (clockid_t clock, timespec* time), (clock, time),
     Watch::does(Doubt::Clocks, PLACE);
     seen.writes(time))
SEEN(int, gettimeofday, (timeval * time, void* zone), (time, zone),
     Watch::does(Doubt::Clocks, PLACE);
     seen.writes(time))
SEEN(time_t, time, (time_t* time), (time), Watch::does(Doubt::Clocks, PLACE); seen.writes(time))
// Their results depend on which other tasks have called them.
CALL int rand() {
  Watch::does(Doubt::Clocks, PLACE);
  return NEXT(rand)();
}
CALL long random() {
  Watch::does(Doubt::Clocks, PLACE);
  return NEXT(random)();
}
CALL double drand48() {
  Watch::does(Doubt::Clocks, PLACE);
  return NEXT(drand48)();
}
SEEN(ssize_t, getrandom, (void* to, std::size_t bytes, unsigned flags), (to, bytes, flags),
     Watch::does(Doubt::Clocks, PLACE);
     if (result > 0) seen.writes(to, static_cast<std::size_t>(result)))
CALL int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                        void* argument) {
  Watch::does(Doubt::Threads, PLACE);
  return NEXT(pthread_create)(thread, attributes, run, argument);
}
