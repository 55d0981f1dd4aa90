// SPDX-License-Identifier: Apache-2.0
//
// The threads behind teams: they are started when a region first needs them, wait in their docks
// for the next, and never end.
#pragma once

#include "omp/team.hpp"

namespace myr::omp {

constexpr std::uint32_t kNoThreadLimit = 0x7fffffff;

// Makes sure that the thread has so many workers of its own.
void hire(Thread& self, unsigned count);
// Starts a part of a region on a worker.
void send_to(Thread& worker, Team& team, unsigned index);
// Takes that back. False: the worker has begun, or may not be recalled.
[[nodiscard]] bool recall(Thread& worker) noexcept;
// The same; without a team the thread ends.
void leave_dock(Thread& worker, Team* team, unsigned index);
// Ends all workers that no region uses, if the caller is outside of all regions.
void end_idle_workers(Thread& self);
// Starts its thread; its first part is what it was told.
void start(Thread& worker);
// Waits until it is sent somewhere; `team_size`: its last region's. The worker itself.
void wait_in_dock(Thread& self, unsigned team_size);
// What a worker does then.
void run_part(Thread& self, Team& team, unsigned index);
// A worker that has not been started yet.
[[nodiscard]] Thread* new_worker();
// Its own workers are for others from now on.
void give_crew_back(Thread& self);
// Wakes a worker in its dock to look for tasks; what it does then.
void call_for_help(Thread& worker) noexcept;
void help_if_asked(Thread& self);

// How many threads have been there at once, at most.
[[nodiscard]] int thread_count() noexcept;

// OMP_THREAD_LIMIT: takes as many of `size` threads as there still may be, the caller among them.
[[nodiscard]] unsigned take_threads(unsigned size, unsigned limit) noexcept;
void give_threads_back(unsigned size) noexcept;

}  // namespace myr::omp
