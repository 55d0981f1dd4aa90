// SPDX-License-Identifier: Apache-2.0
//
// What gcc's OpenMP code calls, except for loops: regions, tasks, locks, target regions. The calls
// translate arguments.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "check/next_call.hpp"
#include "check/omp_reduce.hpp"
#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

using namespace myr::check;
using namespace myr::check::omp;

#define FRAME address_of(__builtin_frame_address(0))

namespace {

constexpr unsigned kFinal = 1U << 1;
constexpr unsigned kUp = 1U << 8;
constexpr unsigned kGrainsize = 1U << 9;
constexpr unsigned kIf = 1U << 10;
constexpr unsigned kNoGroup = 1U << 11;
constexpr unsigned kReduction = 1U << 12;
constexpr unsigned kDetach = 1U << 13;

// Locks that have no variable.
const char unnamed_critical = 0;
const char atomic_lock = 0;

Cancelled of_gomp(int which) {
  constexpr int kParallel = 1;
  constexpr int kTaskgroup = 8;
  if (which == kParallel) return Cancelled::Region;
  return which == kTaskgroup ? Cancelled::Group : Cancelled::Work;
}

}  // namespace

// ---- regions

CALL void GOMP_parallel(Body body, void* data, unsigned threads, unsigned) {
  start();
  const Inside inside;
  run_region({body, data, team_size_for(task(), threads), FRAME, {"the parallel region", PLACE}});
}
CALL unsigned GOMP_parallel_reductions(Body body, void* data, unsigned threads, unsigned) {
  start();
  const Inside inside;
  const unsigned size = team_size_for(task(), threads);
  Group group;
  auto* const arrays = *static_cast<std::uintptr_t**>(data);
  make_copies(arrays, size, task().group != nullptr ? task().group->reductions : nullptr);
  group.reductions = arrays;
  run_region({body, data, size, FRAME, {"the parallel region", PLACE}, nullptr, &group});
  return size;
}
CALL void GOMP_barrier() {
  const Inside inside;
  barrier();
}
CALL bool GOMP_barrier_cancel() {
  const Inside inside;
  return barrier();
}

// ---- tasks

CALL void GOMP_task(Body body, void* data, void (*copy)(void*, void*), long bytes, long align,
                    bool is_deferred, unsigned flags, void** depend, int, void* detach) {
  start();
  const Inside inside;
  run_task({.body = body,
            .data = data,
            .copy = copy,
            .bytes = static_cast<std::size_t>(bytes),
            .align = static_cast<std::size_t>(align),
            .is_deferred = is_deferred,
            .is_final = (flags & kFinal) != 0,
            .depend = depend,
            .detach = (flags & kDetach) != 0 ? detach : nullptr,
            .frame = FRAME,
            .construct = {"the task", PLACE}});
}

namespace {

// A task for each iteration, if the program does not want another number: any is allowed.
std::uint64_t iterations_a_task(std::uint64_t count, unsigned flags, std::uint64_t wanted) {
  constexpr std::uint64_t kTasksMost = 1000;
  if (wanted == 0) return (count + kTasksMost - 1) / kTasksMost;
  return (flags & kGrainsize) != 0 ? std::min(wanted, count) : (count + wanted - 1) / wanted;
}

void run_taskloop(TaskRequest request, const Bounds& bounds, unsigned flags, std::uint64_t wanted) {
  std::uintptr_t* arrays = nullptr;
  if ((flags & kReduction) != 0) {
    std::memcpy(&arrays, static_cast<std::byte*>(request.data) + 2 * sizeof(void*), sizeof arrays);
  }
  const bool has_group = (flags & kNoGroup) == 0;
  if (bounds.count == 0) {
    if (arrays != nullptr && has_group) arrays[2] = 0;
    return;
  }
  if (has_group) begin_group();
  if (has_group && arrays != nullptr) register_reductions(arrays);
  const std::uint64_t each = iterations_a_task(bounds.count, flags, wanted);
  for (std::uint64_t i = 0; i < bounds.count; i += each) {
    const std::uint64_t range[2] = {bounds.start + i * bounds.step,
                                    bounds.start + std::min(i + each, bounds.count) * bounds.step};
    request.range = range;
    run_task(request);
  }
  if (has_group) end_group();
}

}  // namespace

#define TASKLOOP(name, Number, bounds)                                                      \
  CALL void name(Body body, void* data, void (*copy)(void*, void*), long bytes, long align, \
                 unsigned flags, unsigned long wanted, int, Number start, Number end,       \
                 Number step) {                                                             \
    omp::start();                                                                           \
    const Inside inside;                                                                    \
    run_taskloop({.body = body,                                                             \
                  .data = data,                                                             \
                  .copy = copy,                                                             \
                  .bytes = static_cast<std::size_t>(bytes),                                 \
                  .align = static_cast<std::size_t>(align),                                 \
                  .is_deferred = (flags & kIf) != 0,                                        \
                  .is_final = (flags & kFinal) != 0,                                        \
                  .depend = nullptr,                                                        \
                  .detach = nullptr,                                                        \
                  .frame = FRAME,                                                           \
                  .construct = {"the taskloop", PLACE}},                                    \
                 bounds, flags, wanted);                                                    \
  }
TASKLOOP(GOMP_taskloop, long, bounds_of(start, end, step))
TASKLOOP(GOMP_taskloop_ull, unsigned long long, bounds_of((flags & kUp) != 0, start, end, step))
CALL void GOMP_taskwait() {
  const Inside inside;
  wait_for_children();
}
CALL void GOMP_taskwait_depend(void** depend) {
  const Inside inside;
  wait_for_depend(depend);
}
CALL void GOMP_taskyield() {}
CALL void GOMP_taskgroup_start() {
  start();
  const Inside inside;
  begin_group();
}
CALL void GOMP_taskgroup_end() {
  const Inside inside;
  end_group();
}
CALL void GOMP_taskgroup_reduction_register(std::uintptr_t* arrays) {
  const Inside inside;
  register_reductions(arrays);
}
CALL void GOMP_taskgroup_reduction_unregister(std::uintptr_t*) {}
CALL void GOMP_task_reduction_remap(std::size_t count, std::size_t original_count,
                                    void** addresses) {
  const Inside inside;
  remap(count, original_count, addresses);
}
CALL void GOMP_workshare_task_reduction_unregister(bool) {
  const Inside inside;
  end_group();
  barrier();
}

// `cancels`: what its if clause says.
CALL bool GOMP_cancel(int which, bool cancels) {
  const Inside inside;
  return cancels ? cancel(of_gomp(which)) : is_cancelled(of_gomp(which));
}
CALL bool GOMP_cancellation_point(int which) {
  const Inside inside;
  return is_cancelled(of_gomp(which));
}

// ---- locks

CALL void GOMP_critical_start() {
  const Inside inside;
  acquire(address_of(&unnamed_critical));
}
CALL void GOMP_critical_end() {
  const Inside inside;
  release_critical(address_of(&unnamed_critical));
}
CALL void GOMP_critical_name_start(void** lock) {
  const Inside inside;
  acquire(address_of(lock));
}
CALL void GOMP_critical_name_end(void** lock) {
  const Inside inside;
  release_critical(address_of(lock));
}
CALL void GOMP_atomic_start() {
  const Inside inside;
  acquire(address_of(&atomic_lock));
}
CALL void GOMP_atomic_end() {
  const Inside inside;
  release(address_of(&atomic_lock));
}

// ---- target regions, on the host, and teams

namespace {

constexpr unsigned kNoWait = 1;
constexpr unsigned kMapFirstprivate = 12;

struct Target {
  Body body;
  void** addresses;
  std::uint64_t frame;
  Construct construct;
};

void run_target_of(void* data) {
  const auto& target = *static_cast<Target*>(data);
  const Inside inside;
  run_target(target.body, target.addresses, target.frame, target.construct);
}

// Private copies; their memory is never used for something else.
void copy_private(std::size_t count, void** addresses, const std::size_t* sizes,
                  const unsigned short* kinds) {
  for (std::size_t i = 0; i < count; ++i) {
    if ((kinds[i] & 0xffU) != kMapFirstprivate) continue;
    const std::size_t align =
        std::max<std::size_t>(std::size_t{1} << (kinds[i] >> 8U), sizeof(void*));
    const std::size_t bytes = (sizes[i] + align - 1) / align * align;
    void* const copy = std::aligned_alloc(align, bytes);
    std::memcpy(copy, addresses[i], sizes[i]);
    addresses[i] = copy;
  }
}

}  // namespace

CALL void GOMP_target_ext(int, Body body, std::size_t count, void** addresses, std::size_t* sizes,
                          unsigned short* kinds, unsigned flags, void** depend, void**) {
  start();
  const Inside inside;
  copy_private(count, addresses, sizes, kinds);
  Target target{body, addresses, FRAME, {"the target region", PLACE}};
  run_task({.body = &run_target_of,
            .data = &target,
            .copy = nullptr,
            .bytes = sizeof target,
            .align = alignof(Target),
            .is_deferred = (flags & kNoWait) != 0,
            .is_final = false,
            .depend = depend,
            .detach = nullptr,
            .frame = FRAME,
            .construct = {"the target region", PLACE},
            .is_target = true});
}
CALL void GOMP_target_data_ext(int, std::size_t, void**, std::size_t*, unsigned short*) {}
CALL void GOMP_target_end_data() {}

namespace {
// A task of its own, which brings nothing: it only comes in order with others.
void update(unsigned flags, void** depend, std::uint64_t frame, const void* place) {
  start();
  const Inside inside;
  run_task({.body = [](void*) {},
            .data = nullptr,
            .copy = nullptr,
            .bytes = 0,
            .align = 1,
            .is_deferred = (flags & kNoWait) != 0,
            .is_final = false,
            .depend = depend,
            .detach = nullptr,
            .frame = frame,
            .construct = {"the target update", place},
            .is_target = true});
}
}  // namespace

CALL void GOMP_target_update_ext(int, std::size_t, void**, std::size_t*, unsigned short*,
                                 unsigned flags, void** depend) {
  update(flags, depend, FRAME, PLACE);
}
CALL void GOMP_target_enter_exit_data(int, std::size_t, void**, std::size_t*, unsigned short*,
                                      unsigned flags, void** depend) {
  update(flags, depend, FRAME, PLACE);
}

CALL bool GOMP_teams4(unsigned, unsigned high, unsigned, bool is_first) {
  const Inside inside;
  if (!is_first) return next_in_league();
  start_league(high);
  return true;
}
CALL void GOMP_teams_reg(Body body, void* data, unsigned count, unsigned, unsigned) {
  start();
  const Inside inside;
  run_league({body, data, count, FRAME, {"the teams region", PLACE}});
}
