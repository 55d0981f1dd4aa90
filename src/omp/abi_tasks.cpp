// SPDX-License-Identifier: Apache-2.0
//
// Entry points of parallel regions, barriers, tasks, groups, reductions and cancellation.
#include <cstring>

#include "omp/abi.hpp"
#include "omp/gomp_calls.h"
#include "omp/here_task.hpp"
#include "omp/reductions.hpp"
#include "omp/taskloop.hpp"
#include "omp/team.hpp"

using namespace myr::omp;

namespace {

void run_region(Thread& self, const Region& region) {
  const Span span(Construct::Region, code_of(region.body));
  begin_region(self, region);
  region.body(region.data);
  end_region(self);
}

struct Taskloop {
  LoopBounds bounds;
  TaskRequest request;
  std::uint64_t wanted;
};

void spawn_chunks(Thread& self, const Taskloop& loop) {
  const LoopBounds& bounds = loop.bounds;
  const unsigned flags = loop.request.flags;
  const TaskloopSize size_of = (flags & GOMP_TASK_GRAINSIZE) == 0 ? TaskloopSize::Tasks
                               : (flags & GOMP_TASK_STRICT) == 0  ? TaskloopSize::Grain
                                                                  : TaskloopSize::StrictGrain;
  const TaskloopParts division = divide(bounds.count, size_of, loop.wanted, self.at.team->size);
  TaskRequest request = loop.request;
  std::uint64_t begin = bounds.start;
  HereTask here(self, request.deferred);
  for (std::uint64_t i = 0; i < division.count; ++i) {
    const bool is_last = i + 1 == division.count;
    const std::uint64_t each = (i < division.larger ? division.each + 1 : division.each);
    const std::uint64_t end = is_last ? bounds.end : begin + each * bounds.step;
    const std::uint64_t range[2] = {begin, end};
    request.range = range;
    if (here.is_next()) {
      here.run(request);
    } else {
      here.end();
      spawn(self, request);
    }
    begin = end;
  }
}

void run_taskloop(const Taskloop& loop) {
  Thread& self = myr::omp::self();
  const unsigned flags = loop.request.flags;
  std::uintptr_t* reductions = nullptr;
  if ((flags & GOMP_TASK_REDUCTION) != 0) {
    std::memcpy(&reductions, static_cast<std::byte*>(loop.request.data) + 2 * sizeof(void*),
                sizeof reductions);
  }
  if (loop.bounds.count == 0) {
    if (reductions != nullptr && (flags & GOMP_TASK_NOGROUP) == 0) reductions[2] = 0;
    return;
  }
  if ((flags & GOMP_TASK_NOGROUP) == 0) {
    begin_group(self);
    if (reductions != nullptr) register_reductions(self, reductions);
  }
  spawn_chunks(self, loop);
  if ((flags & GOMP_TASK_NOGROUP) == 0) end_group(self);
}

}  // namespace

// ---- Regions

MYR_OMP_API void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  Thread& self = myr::omp::self();
  run_region(self, {body, data, team_size_for(self, threads), flags & 7U});
}
MYR_OMP_API unsigned GOMP_parallel_reductions(void (*body)(void*), void* data, unsigned threads,
                                              unsigned flags) {
  Thread& self = myr::omp::self();
  const unsigned size = team_size_for(self, threads);
  Group group;
  auto* reductions = *static_cast<std::uintptr_t**>(data);
  const Group* outer = self.at.task->group;
  allocate_copies(reductions, size, outer != nullptr ? outer->reductions : nullptr);
  group.reductions = reductions;
  run_region(self, {body, data, size, flags & 7U, &group});
  return size;
}
MYR_OMP_API void GOMP_parallel_start(void (*body)(void*), void* data, unsigned threads) {
  Thread& self = myr::omp::self();
  begin_region(self, {body, data, team_size_for(self, threads)});
}
MYR_OMP_API void GOMP_parallel_end() { end_region(self()); }
MYR_OMP_API void GOMP_barrier() { barrier(self()); }
MYR_OMP_API bool GOMP_barrier_cancel() { return barrier(self()); }

// ---- Tasks

MYR_OMP_API void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
                           long align, bool if_clause, unsigned flags, void** depend, int priority,
                           void* detach) {
  spawn(self(),
        {body, data, copy, static_cast<std::size_t>(size), static_cast<std::size_t>(align),
         if_clause, flags, depend, (flags & GOMP_TASK_PRIORITY) != 0 ? priority : 0, detach});
}
MYR_OMP_API void GOMP_taskwait() { wait_for_children(self()); }
MYR_OMP_API void GOMP_taskwait_depend(void** depend) { wait_for_depend(self(), depend); }
MYR_OMP_API void GOMP_taskyield() {
  Thread& self = myr::omp::self();
  if (self.at.team->has_tasks.load(myr::sync::relaxed) != 0) run_one(self);
}
MYR_OMP_API void GOMP_taskgroup_start() { begin_group(self()); }
MYR_OMP_API void GOMP_taskgroup_end() { end_group(self()); }
MYR_OMP_API void GOMP_taskloop(void (*body)(void*), void* data, void (*copy)(void*, void*),
                               long size, long align, unsigned flags, unsigned long wanted,
                               int priority, long start, long end, long step) {
  run_taskloop({bounds_of(static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(end),
                          static_cast<std::uint64_t>(step), false, true),
                {body, data, copy, static_cast<std::size_t>(size), static_cast<std::size_t>(align),
                 (flags & GOMP_TASK_IF) != 0, flags, nullptr,
                 (flags & GOMP_TASK_PRIORITY) != 0 ? priority : 0, nullptr},
                wanted});
}
MYR_OMP_API void GOMP_taskloop_ull(void (*body)(void*), void* data, void (*copy)(void*, void*),
                                   long size, long align, unsigned flags, unsigned long wanted,
                                   int priority, unsigned long long start, unsigned long long end,
                                   unsigned long long step) {
  run_taskloop({bounds_of(start, end, step, true, (flags & GOMP_TASK_UP) != 0),
                {body, data, copy, static_cast<std::size_t>(size), static_cast<std::size_t>(align),
                 (flags & GOMP_TASK_IF) != 0, flags, nullptr,
                 (flags & GOMP_TASK_PRIORITY) != 0 ? priority : 0, nullptr},
                wanted});
}
MYR_OMP_API void omp_fulfill_event(std::uintptr_t event) {
  fulfill(reinterpret_cast<Task*>(event));
}
MYR_OMP_API int omp_in_final() { return (self().at.task->flags & kFinal) != 0 ? 1 : 0; }

// ---- Reductions

MYR_OMP_API void GOMP_taskgroup_reduction_register(std::uintptr_t* arrays) {
  register_reductions(self(), arrays);
}
MYR_OMP_API void GOMP_taskgroup_reduction_unregister(std::uintptr_t* arrays) {
  free_copies(arrays);
}
MYR_OMP_API void GOMP_task_reduction_remap(std::size_t count, std::size_t original_count,
                                           void** addresses) {
  remap(self(), count, original_count, addresses);
}
MYR_OMP_API void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  Thread& self = myr::omp::self();
  std::uintptr_t* arrays = self.at.task->group->reductions;
  end_group(self);
  if (!cancelled) barrier(self);
  if (self.at.index == 0) free_copies(arrays);
}

// ---- Cancellation

MYR_OMP_API bool GOMP_cancellation_point(int which) {
  return is_cancelled(self(), static_cast<std::uint32_t>(which));
}
MYR_OMP_API bool GOMP_cancel(int which, bool wanted) {
  Thread& self = myr::omp::self();
  const auto kind = static_cast<std::uint32_t>(which);
  return wanted ? cancel(self, kind) : is_cancelled(self, kind);
}
