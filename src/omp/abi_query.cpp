// SPDX-License-Identifier: Apache-2.0
//
// The calls of omp.h that ask for and set variables, and their Fortran forms: a name with `_` takes
// pointers, one with `_8_` pointers to 64-bit integers.
#include <time.h>

#include <climits>
#include <cstring>

#include "omp/abi.hpp"
#include "omp/places.hpp"
#include "omp/team.hpp"
#include "omp/threads.hpp"

using namespace myr::omp;

namespace {

const Icv& icv() { return *self().at.task->icv; }

int clamp_to_int(long long value) {
  if (value > INT_MAX) return INT_MAX;
  return value < INT_MIN ? INT_MIN : static_cast<int>(value);
}

// The thread's place in the team of a level; nullptr: there is no such level.
const Place* place_at_level(int level) {
  const Place* place = &self().at;
  if (level < 0 || static_cast<unsigned>(level) > place->team->level) return nullptr;
  while (place->team->level != static_cast<unsigned>(level)) place = &place->team->outer;
  return place;
}

}  // namespace

// A call without arguments, and its Fortran form.
#define MYR_GET(Return, name, expression)          \
  MYR_OMP_API Return name() { return expression; } \
  MYR_OMP_API Return name##_() { return expression; }
// A call that sets one integer.
#define MYR_SET(name)                                          \
  MYR_OMP_API void name##_(const int* value) { name(*value); } \
  MYR_OMP_API void name##_8_(const long long* value) { name(clamp_to_int(*value)); }
// A question about one integer.
#define MYR_ASK(name)                                                \
  MYR_OMP_API int name##_(const int* value) { return name(*value); } \
  MYR_OMP_API int name##_8_(const long long* value) { return name(clamp_to_int(*value)); }

MYR_OMP_API int omp_get_thread_num() {
  const Thread* thread = this_thread;
  return thread != nullptr ? static_cast<int>(thread->at.index) : 0;
}
MYR_OMP_API int omp_get_num_threads() {
  const Thread* thread = this_thread;
  return thread != nullptr ? static_cast<int>(thread->at.team->size) : 1;
}
MYR_OMP_API int omp_get_thread_num_() { return omp_get_thread_num(); }
MYR_OMP_API int omp_get_num_threads_() { return omp_get_num_threads(); }
MYR_GET(int, omp_get_max_threads, static_cast<int>(icv().thread_count))
MYR_GET(int, omp_get_num_procs, static_cast<int>(processor_count()))
MYR_GET(int, omp_in_parallel, self().at.team->active_level > 0 ? 1 : 0)
MYR_GET(int, omp_get_dynamic, icv().dynamic)
MYR_GET(int, omp_get_nested,
        icv().levels_max > 1 && icv().levels_max > self().at.team->active_level ? 1 : 0)
MYR_GET(int, omp_get_thread_limit, static_cast<int>(icv().thread_limit))
MYR_GET(int, omp_get_max_active_levels, static_cast<int>(icv().levels_max))
MYR_GET(int, omp_get_supported_active_levels, static_cast<int>(kLevelsSupported))
MYR_GET(int, omp_get_level, static_cast<int>(self().at.team->level))
MYR_GET(int, omp_get_active_level, static_cast<int>(self().at.team->active_level))
MYR_GET(int, omp_get_cancellation, settings.cancellation ? 1 : 0)
MYR_GET(int, omp_get_proc_bind, static_cast<int>(icv().bind))
MYR_GET(int, omp_get_default_device, icv().device)
MYR_GET(int, omp_get_num_devices, 0)
MYR_GET(int, omp_get_device_num, 0)
MYR_GET(int, omp_is_initial_device, 1)
MYR_GET(int, omp_get_initial_device, 0)
MYR_GET(int, omp_get_num_teams, self().team_count)
MYR_GET(int, omp_get_team_num, self().team_number)
MYR_GET(int, omp_get_max_task_priority, settings.priority_max)
MYR_GET(int, omp_get_max_teams, settings.teams_max)
MYR_GET(int, omp_get_teams_thread_limit, settings.teams_thread_limit)
MYR_OMP_API int omp_in_final_() { return (self().at.task->flags & kFinal) != 0 ? 1 : 0; }

MYR_OMP_API void omp_set_num_threads(int count) {
  change_icv(
      [count](Icv& icv) { icv.thread_count = count > 0 ? static_cast<unsigned>(count) : 1; });
}
MYR_OMP_API void omp_set_dynamic(int value) {
  change_icv([value](Icv& icv) { icv.dynamic = value != 0; });
}
MYR_OMP_API void omp_set_nested(int value) {
  change_icv([value](Icv& icv) {
    if (value != 0) {
      if (icv.levels_max == 1) icv.levels_max = kLevelsSupported;
    } else if (icv.levels_max > 1) {
      icv.levels_max = 1;
    }
  });
}
MYR_OMP_API void omp_set_max_active_levels(int levels) {
  if (levels < 0) return;
  change_icv([levels](Icv& icv) {
    const auto wanted = static_cast<std::uint32_t>(levels);
    icv.levels_max = wanted > kLevelsSupported ? kLevelsSupported : wanted;
  });
}
MYR_OMP_API void omp_set_default_device(int device) {
  change_icv([device](Icv& icv) { icv.device = device < 0 ? 0 : device; });
}
MYR_OMP_API void omp_set_num_teams(int count) {
  if (count >= 0) settings.teams_max = count;
}
MYR_OMP_API void omp_set_teams_thread_limit(int limit) {
  if (limit >= 0) settings.teams_thread_limit = limit;
}
MYR_SET(omp_set_num_threads)
MYR_SET(omp_set_dynamic)
MYR_SET(omp_set_nested)
MYR_SET(omp_set_max_active_levels)
MYR_SET(omp_set_default_device)
MYR_SET(omp_set_num_teams)
MYR_SET(omp_set_teams_thread_limit)

MYR_OMP_API void omp_set_schedule(std::uint32_t kind, int chunk) {
  const std::uint32_t schedule = kind & ~kMonotonic;
  if (schedule < kStatic || schedule > kAuto) return;
  if (schedule == kStatic) {
    if (chunk < 1) chunk = 0;
  } else if (schedule != kAuto && chunk < 1) {
    chunk = 1;
  }
  change_icv([=](Icv& icv) {
    icv.schedule = kind;
    if (schedule != kAuto) icv.chunk = chunk;
  });
}
MYR_OMP_API void omp_get_schedule(std::uint32_t* kind, int* chunk) {
  *kind = icv().schedule & ~kUnsaid;
  *chunk = icv().chunk;
}
MYR_OMP_API void omp_set_schedule_(const std::uint32_t* kind, const int* chunk) {
  omp_set_schedule(*kind, *chunk);
}
MYR_OMP_API void omp_set_schedule_8_(const std::uint32_t* kind, const long long* chunk) {
  omp_set_schedule(*kind, clamp_to_int(*chunk));
}
MYR_OMP_API void omp_get_schedule_(std::uint32_t* kind, int* chunk) {
  omp_get_schedule(kind, chunk);
}
MYR_OMP_API void omp_get_schedule_8_(std::uint32_t* kind, long long* chunk) {
  int narrow = 0;
  omp_get_schedule(kind, &narrow);
  *chunk = narrow;
}

MYR_OMP_API int omp_get_ancestor_thread_num(int level) {
  const Place* place = place_at_level(level);
  return place != nullptr ? static_cast<int>(place->index) : -1;
}
MYR_OMP_API int omp_get_team_size(int level) {
  const Place* place = place_at_level(level);
  return place != nullptr ? static_cast<int>(place->team->size) : -1;
}
MYR_ASK(omp_get_ancestor_thread_num)
MYR_ASK(omp_get_team_size)

MYR_OMP_API double omp_get_wtime() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}
MYR_OMP_API double omp_get_wtick() {
  timespec tick;
  clock_getres(CLOCK_MONOTONIC, &tick);
  return static_cast<double>(tick.tv_sec) + static_cast<double>(tick.tv_nsec) / 1e9;
}
MYR_OMP_API double omp_get_wtime_() { return omp_get_wtime(); }
MYR_OMP_API double omp_get_wtick_() { return omp_get_wtick(); }

// ---- Places and affinity

MYR_OMP_API int omp_get_num_places() { return static_cast<int>(place_count()); }
MYR_OMP_API int omp_get_place_num() {
  return place_count() == 0 ? -1 : static_cast<int>(self().place) - 1;
}
MYR_OMP_API int omp_get_partition_num_places() {
  return place_count() == 0 ? 0 : static_cast<int>(self().places_count);
}
MYR_OMP_API void omp_get_partition_place_nums(int* numbers) {
  const Thread& self = myr::omp::self();
  if (place_count() == 0) return;
  for (unsigned i = 0; i < self.places_count; ++i) {
    numbers[i] = static_cast<int>(self.places_first + i);
  }
}
MYR_OMP_API int omp_get_place_num_procs(int index) {
  if (index < 0 || static_cast<unsigned>(index) >= place_count()) return 0;
  return CPU_COUNT(&place(static_cast<unsigned>(index)));
}
MYR_OMP_API void omp_get_place_proc_ids(int index, int* ids) {
  if (index < 0 || static_cast<unsigned>(index) >= place_count()) return;
  const cpu_set_t& set = place(static_cast<unsigned>(index));
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) *ids++ = cpu;
  }
}
MYR_OMP_API int omp_get_num_places_() { return omp_get_num_places(); }
MYR_OMP_API int omp_get_place_num_() { return omp_get_place_num(); }
MYR_OMP_API int omp_get_partition_num_places_() { return omp_get_partition_num_places(); }
MYR_OMP_API void omp_get_partition_place_nums_(int* numbers) {
  omp_get_partition_place_nums(numbers);
}
MYR_ASK(omp_get_place_num_procs)
MYR_OMP_API void omp_get_place_proc_ids_(const int* index, int* ids) {
  omp_get_place_proc_ids(*index, ids);
}

MYR_OMP_API void omp_set_affinity_format(const char* format) { set_affinity_format(format); }
MYR_OMP_API std::size_t omp_get_affinity_format(char* buffer, std::size_t size) {
  const char* format = affinity_format();
  const std::size_t length = std::strlen(format);
  if (size != 0) {
    const std::size_t copied = length < size ? length : size - 1;
    std::memcpy(buffer, format, copied);
    buffer[copied] = 0;
  }
  return length;
}
MYR_OMP_API std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format) {
  return describe_thread(self(), format, buffer, size);
}
MYR_OMP_API void omp_display_affinity(const char* format) { print_thread(self(), format); }
MYR_OMP_API void omp_display_env(int verbose) { display_environment(verbose != 0); }
MYR_OMP_API void omp_display_env_(const int* verbose) { display_environment(*verbose != 0); }
MYR_OMP_API void omp_display_env_8_(const long long* verbose) {
  display_environment(*verbose != 0);
}
MYR_OMP_API int omp_pause_resource_all(int kind) {
  if (kind != 1 && kind != 2) return -1;
  end_idle_workers(self());
  return 0;
}
MYR_OMP_API int omp_pause_resource(int kind, int) { return omp_pause_resource_all(kind); }
