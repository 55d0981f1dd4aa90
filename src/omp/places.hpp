// SPDX-License-Identifier: Apache-2.0
//
// OMP_PLACES: sets of processors to which threads are bound, if the program or OMP_PROC_BIND asks
// for it.
#pragma once

#include <sched.h>

#include <cstddef>

#include "omp/team.hpp"

namespace myr::omp {

// Reads OMP_PLACES. Called once.
void read_places();
[[nodiscard]] unsigned place_count() noexcept;
[[nodiscard]] const cpu_set_t& place(unsigned index) noexcept;

// The first thread of the program binds itself, when it is first met.
void bind_first_thread(Thread& self);
// A region binds its workers: the caller chooses the place, the worker moves there.
void choose_places(Thread& self, Team& team);
// The region is over: the master has those that it had before.
void give_places_back(Thread& self, Team& team) noexcept;
void move_to_place(Thread& self);

// Writes what the format says of the thread, as omp_capture_affinity() does; the length it takes.
std::size_t describe_thread(Thread& self, const char* format, char* buffer, std::size_t room);
void set_affinity_format(const char* format);
[[nodiscard]] const char* affinity_format();
// From now on as LLVM's library does: on standard output, and what a format does not know is
// "undefined" instead of an error. Any thread.
void describe_as_llvm() noexcept;
// Prints a description of the thread.
void print_thread(Thread& self, const char* format);
// Prints it, if OMP_DISPLAY_AFFINITY asks for that and anything has changed.
void announce_affinity(Thread& self);

}  // namespace myr::omp
