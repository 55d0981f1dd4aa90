// SPDX-License-Identifier: Apache-2.0
//
// The same calls for programs in Fortran: each argument is passed by its address, and there are two
// sizes of integers.
#include <omp.h>

#include "check/next_call.hpp"

namespace {
template <class T>
int narrow(const T* number) {
  return static_cast<int>(*number);
}
}  // namespace

#define GET(name) \
  CALL int name##_() { return name(); }
#define GET_AT(name)                                    \
  CALL int name##_(const int* at) { return name(*at); } \
  CALL int name##_8_(const long long* at) { return name(narrow(at)); }
#define SET(name)                                 \
  CALL void name##_(const int* to) { name(*to); } \
  CALL void name##_8_(const long long* to) { name(narrow(to)); }
#define USE(name, Lock) \
  CALL void name##_(Lock* lock) { name(lock); }

GET(omp_get_thread_num)
GET(omp_get_num_threads)
GET(omp_get_max_threads)
GET(omp_in_parallel)
GET(omp_get_level)
GET(omp_get_active_level)
GET(omp_get_max_active_levels)
GET(omp_get_nested)
GET(omp_get_dynamic)
GET(omp_in_final)
GET(omp_get_num_teams)
GET(omp_get_team_num)
GET(omp_get_num_devices)
GET(omp_is_initial_device)
GET(omp_get_cancellation)
GET_AT(omp_get_ancestor_thread_num)
GET_AT(omp_get_team_size)
SET(omp_set_num_threads)
SET(omp_set_max_active_levels)
SET(omp_set_nested)
SET(omp_set_dynamic)
CALL void omp_set_schedule_(const omp_sched_t* kind, const int* chunk) {
  omp_set_schedule(*kind, *chunk);
}
CALL void omp_get_schedule_(omp_sched_t* kind, int* chunk) { omp_get_schedule(kind, chunk); }
CALL void omp_fulfill_event_(omp_event_handle_t event) { omp_fulfill_event(event); }

USE(omp_init_lock, omp_lock_t)
USE(omp_destroy_lock, omp_lock_t)
USE(omp_set_lock, omp_lock_t)
USE(omp_unset_lock, omp_lock_t)
CALL int omp_test_lock_(omp_lock_t* lock) { return omp_test_lock(lock); }
USE(omp_init_nest_lock, omp_nest_lock_t)
USE(omp_destroy_nest_lock, omp_nest_lock_t)
USE(omp_set_nest_lock, omp_nest_lock_t)
USE(omp_unset_nest_lock, omp_nest_lock_t)
CALL int omp_test_nest_lock_(omp_nest_lock_t* lock) { return omp_test_nest_lock(lock); }
