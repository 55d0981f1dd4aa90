// SPDX-License-Identifier: Apache-2.0
//
// The text of OMP_PLACES (OpenMP 5.2, 21.1.6), a list of sets of processors or the name of what the
// processors of a place share; and libgomp's older form of it.
#pragma once

#include <sched.h>

#include <vector>

namespace myr::omp {

struct PlaceList {
  std::vector<cpu_set_t> places;
  const char* mistake = nullptr;  // what is wrong with the text; nullptr: nothing
};

// Only processors of `usable` are in places, and no place is empty.
[[nodiscard]] PlaceList read_place_list(const char* text, const cpu_set_t& usable);
// GOMP_CPU_AFFINITY: a place for each processor that it names, in this order.
[[nodiscard]] PlaceList read_cpu_list(const char* text, const cpu_set_t& usable);
// A place for each processor of `usable`.
[[nodiscard]] std::vector<cpu_set_t> places_of_one(const cpu_set_t& usable);

}  // namespace myr::omp
