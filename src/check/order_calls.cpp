// SPDX-License-Identifier: Apache-2.0
//
// Calls of the C library by which a program under `myr check` gets what is another one in each run,
// and by which it does something beside the tasks.
#include <pthread.h>
#include <sys/random.h>
#include <sys/time.h>

#include <cstdlib>
#include <ctime>

#include "check/next_call.hpp"
#include "check/watch.hpp"

using myr::check::Doubt;
using myr::check::Watch;

CALL int clock_gettime(clockid_t clock, timespec* time) {
  Watch::does(Doubt::Clocks, PLACE);
  return NEXT(clock_gettime)(clock, time);
}
CALL int gettimeofday(timeval* time, void* zone) {
  Watch::does(Doubt::Clocks, PLACE);
  return NEXT(gettimeofday)(time, zone);
}
CALL time_t time(time_t* time) {
  Watch::does(Doubt::Clocks, PLACE);
  return NEXT(time)(time);
}
// What they give depends on who else has called them.
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
CALL ssize_t getrandom(void* to, std::size_t bytes, unsigned flags) {
  Watch::does(Doubt::Clocks, PLACE);
  return NEXT(getrandom)(to, bytes, flags);
}
CALL int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                        void* argument) {
  Watch::does(Doubt::Threads, PLACE);
  return NEXT(pthread_create)(thread, attributes, run, argument);
}
