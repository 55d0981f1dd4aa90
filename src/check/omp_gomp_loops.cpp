// SPDX-License-Identifier: Apache-2.0
//
// What gcc's OpenMP code calls for loops, sections, single and ordered. For each schedule it calls
// functions of other names. Guided loops are shared out here by their smallest chunks. Loops whose
// schedule the environment chooses are shared out by single iterations, which it may choose.
#include <cstdarg>
#include <cstring>

#include "check/next_call.hpp"
#include "check/omp_reduce.hpp"
#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

using namespace myr::check;
using namespace myr::check::omp;

#define FRAME address_of(__builtin_frame_address(0))

using Ull = unsigned long long;

namespace {

enum Schedule : unsigned { kRuntime = 0, kStatic = 1, kDynamic = 2, kGuided = 3, kAuto = 4 };

LoopRequest loop_of(const Bounds& bounds, unsigned schedule, std::uint64_t chunk, bool is_ordered,
                    const void* place) {
  constexpr unsigned kMonotonic = 1U << 31;
  const unsigned kind = schedule & ~kMonotonic;
  const bool is_static = kind == kStatic || kind == kAuto;
  if (!is_static && chunk == 0) chunk = 1;
  return {bounds, chunk, is_static, is_ordered, {"the loop", place}};
}

template <class Word>
bool next(Word* first, Word* behind) {
  const Inside inside;
  return next_chunk(reinterpret_cast<std::uint64_t*>(first),
                    reinterpret_cast<std::uint64_t*>(behind));
}

template <class Word>
bool start_loop(const LoopRequest& request, Word* first, Word* behind) {
  omp::start();
  {
    const Inside inside;
    enter_work(request);
  }
  return next(first, behind);
}

// With reductions over tasks, and memory for all threads.
struct Extras {
  std::uintptr_t* reductions;
  void** memory;
};

void add_extras(Work& work, const Extras& extras) {
  if (extras.reductions != nullptr) {
    begin_group();
    if (work.reductions == nullptr) {
      work.reductions = extras.reductions;
      register_reductions(extras.reductions);
    } else {
      share_reductions(extras.reductions, work.reductions);
    }
  }
  if (extras.memory == nullptr) return;
  const auto bytes = reinterpret_cast<std::size_t>(*extras.memory);
  if (work.memory == nullptr) work.memory = std::make_unique<std::byte[]>(bytes);
  *extras.memory = work.memory.get();
}

template <class Word>
bool start_loop_with(const LoopRequest& request, Word* first, Word* behind, const Extras& extras) {
  omp::start();
  {
    const Inside inside;
    add_extras(enter_work(request), extras);
  }
  return first == nullptr || next(first, behind);
}

template <class Word>
bool start_doacross(unsigned count, Word* counts, LoopRequest request, Word* first, Word* behind,
                    const Extras& extras) {
  omp::start();
  {
    const Inside inside;
    request.bounds = {0, 1, static_cast<std::uint64_t>(counts[0])};
    Work& work = enter_work(request);
    if (work.dimensions.empty()) {
      for (unsigned i = 0; i < count; ++i) {
        work.dimensions.push_back({0, 1, static_cast<std::uint64_t>(counts[i])});
      }
    }
    add_extras(work, extras);
  }
  return first == nullptr || next(first, behind);
}

void run_loop(const Region& region) {
  start();
  const Inside inside;
  run_region(region);
}

unsigned next_section() {
  std::uint64_t first = 0;
  std::uint64_t behind = 0;
  return next(&first, &behind) ? static_cast<unsigned>(first) : 0;
}

LoopRequest sections_of(unsigned count, const void* place) {
  return {{1, 1, count}, 1, false, false, {"the sections", place}};
}

bool end_work(bool waits) {
  const Inside inside;
  leave_work();
  return waits && barrier();
}

}  // namespace

// ---- loops

#define LOOP(name, schedule, is_ordered)                                                       \
  CALL bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long* first, \
                                     long* behind) {                                           \
    return start_loop(loop_of(bounds_of(start, end, step), schedule,                           \
                              static_cast<std::uint64_t>(chunk), is_ordered, PLACE),           \
                      first, behind);                                                          \
  }                                                                                            \
  CALL bool GOMP_loop_##name##_next(long* first, long* behind) { return next(first, behind); } \
  CALL bool GOMP_loop_ull_##name##_start(bool up, Ull start, Ull end, Ull step, Ull chunk,     \
                                         Ull* first, Ull* behind) {                            \
    return start_loop(                                                                         \
        loop_of(bounds_of(up, start, end, step), schedule, chunk, is_ordered, PLACE), first,   \
        behind);                                                                               \
  }                                                                                            \
  CALL bool GOMP_loop_ull_##name##_next(Ull* first, Ull* behind) { return next(first, behind); }
LOOP(static, kStatic, false)
LOOP(dynamic, kDynamic, false)
LOOP(guided, kGuided, false)
LOOP(nonmonotonic_dynamic, kDynamic, false)
LOOP(nonmonotonic_guided, kGuided, false)
LOOP(ordered_static, kStatic, true)
LOOP(ordered_dynamic, kDynamic, true)
LOOP(ordered_guided, kGuided, true)
#undef LOOP

#define RUNTIME_LOOP(name, is_ordered)                                                             \
  CALL bool GOMP_loop_##name##_start(long start, long end, long step, long* first, long* behind) { \
    return start_loop(loop_of(bounds_of(start, end, step), kRuntime, 1, is_ordered, PLACE), first, \
                      behind);                                                                     \
  }                                                                                                \
  CALL bool GOMP_loop_##name##_next(long* first, long* behind) { return next(first, behind); }     \
  CALL bool GOMP_loop_ull_##name##_start(bool up, Ull start, Ull end, Ull step, Ull* first,        \
                                         Ull* behind) {                                            \
    return start_loop(loop_of(bounds_of(up, start, end, step), kRuntime, 1, is_ordered, PLACE),    \
                      first, behind);                                                              \
  }                                                                                                \
  CALL bool GOMP_loop_ull_##name##_next(Ull* first, Ull* behind) { return next(first, behind); }
RUNTIME_LOOP(runtime, false)
RUNTIME_LOOP(nonmonotonic_runtime, false)
RUNTIME_LOOP(maybe_nonmonotonic_runtime, false)
RUNTIME_LOOP(ordered_runtime, true)
#undef RUNTIME_LOOP

#define LOOP_WITH(name, is_ordered)                                                               \
  CALL bool GOMP_loop_##name(long start, long end, long step, long schedule, long chunk,          \
                             long* first, long* behind, std::uintptr_t* reductions,               \
                             void** memory) {                                                     \
    return start_loop_with(loop_of(bounds_of(start, end, step), static_cast<unsigned>(schedule),  \
                                   static_cast<std::uint64_t>(chunk), is_ordered, PLACE),         \
                           first, behind, {reductions, memory});                                  \
  }                                                                                               \
  CALL bool GOMP_loop_ull_##name(bool up, Ull start, Ull end, Ull step, long schedule, Ull chunk, \
                                 Ull* first, Ull* behind, std::uintptr_t* reductions,             \
                                 void** memory) {                                                 \
    return start_loop_with(loop_of(bounds_of(up, start, end, step),                               \
                                   static_cast<unsigned>(schedule), chunk, is_ordered, PLACE),    \
                           first, behind, {reductions, memory});                                  \
  }
LOOP_WITH(start, false)
LOOP_WITH(ordered_start, true)
#undef LOOP_WITH

CALL bool GOMP_loop_doacross_start(unsigned count, long* counts, long schedule, long chunk,
                                   long* first, long* behind, std::uintptr_t* reductions,
                                   void** memory) {
  return start_doacross(
      count, counts,
      loop_of({}, static_cast<unsigned>(schedule), static_cast<std::uint64_t>(chunk), false, PLACE),
      first, behind, {reductions, memory});
}
CALL bool GOMP_loop_ull_doacross_start(unsigned count, Ull* counts, long schedule, Ull chunk,
                                       Ull* first, Ull* behind, std::uintptr_t* reductions,
                                       void** memory) {
  return start_doacross(count, counts,
                        loop_of({}, static_cast<unsigned>(schedule), chunk, false, PLACE), first,
                        behind, {reductions, memory});
}
#define DOACROSS(name, schedule)                                                                  \
  CALL bool GOMP_loop_doacross_##name##_start(unsigned count, long* counts, long chunk,           \
                                              long* first, long* behind) {                        \
    return start_doacross(count, counts,                                                          \
                          loop_of({}, schedule, static_cast<std::uint64_t>(chunk), false, PLACE), \
                          first, behind, {nullptr, nullptr});                                     \
  }                                                                                               \
  CALL bool GOMP_loop_ull_doacross_##name##_start(unsigned count, Ull* counts, Ull chunk,         \
                                                  Ull* first, Ull* behind) {                      \
    return start_doacross(count, counts, loop_of({}, schedule, chunk, false, PLACE), first,       \
                          behind, {nullptr, nullptr});                                            \
  }
DOACROSS(static, kStatic)
DOACROSS(dynamic, kDynamic)
DOACROSS(guided, kGuided)
#undef DOACROSS
CALL bool GOMP_loop_doacross_runtime_start(unsigned count, long* counts, long* first,
                                           long* behind) {
  return start_doacross(count, counts, loop_of({}, kRuntime, 1, false, PLACE), first, behind,
                        {nullptr, nullptr});
}
CALL bool GOMP_loop_ull_doacross_runtime_start(unsigned count, Ull* counts, Ull* first,
                                               Ull* behind) {
  return start_doacross(count, counts, loop_of({}, kRuntime, 1, false, PLACE), first, behind,
                        {nullptr, nullptr});
}
CALL void GOMP_doacross_post(long* counts) {
  const Inside inside;
  if (task().work != nullptr) post(*task().work, reinterpret_cast<std::uint64_t*>(counts));
}
CALL void GOMP_doacross_ull_post(Ull* counts) {
  const Inside inside;
  if (task().work != nullptr) post(*task().work, reinterpret_cast<std::uint64_t*>(counts));
}

// As many numbers as the loop has dimensions.
#define DOACROSS_WAIT(name, Word)                                       \
  CALL void name(Word first, ...) {                                     \
    const Inside inside;                                                \
    if (task().work == nullptr) return;                                 \
    std::vector<std::uint64_t> sink{static_cast<std::uint64_t>(first)}; \
    va_list rest;                                                       \
    va_start(rest, first);                                              \
    while (sink.size() < task().work->dimensions.size()) {              \
      sink.push_back(static_cast<std::uint64_t>(va_arg(rest, Word)));   \
    }                                                                   \
    va_end(rest);                                                       \
    wait_for_post(*task().work, sink.data());                           \
  }
DOACROSS_WAIT(GOMP_doacross_wait, long)
DOACROSS_WAIT(GOMP_doacross_ull_wait, Ull)
#undef DOACROSS_WAIT

#define PARALLEL_LOOP(name, schedule)                                                              \
  CALL void GOMP_parallel_loop_##name(Body body, void* data, unsigned threads, long start,         \
                                      long end, long step, long chunk, unsigned) {                 \
    const LoopRequest loop = loop_of(bounds_of(start, end, step), schedule,                        \
                                     static_cast<std::uint64_t>(chunk), false, PLACE);             \
    run_loop(                                                                                      \
        {body, data, team_size_for(task(), threads), FRAME, {"the parallel loop", PLACE}, &loop}); \
  }
PARALLEL_LOOP(static, kStatic)
PARALLEL_LOOP(dynamic, kDynamic)
PARALLEL_LOOP(guided, kGuided)
PARALLEL_LOOP(nonmonotonic_dynamic, kDynamic)
PARALLEL_LOOP(nonmonotonic_guided, kGuided)
#undef PARALLEL_LOOP
#define PARALLEL_RUNTIME_LOOP(name)                                                                \
  CALL void GOMP_parallel_loop_##name(Body body, void* data, unsigned threads, long start,         \
                                      long end, long step, unsigned) {                             \
    const LoopRequest loop = loop_of(bounds_of(start, end, step), kRuntime, 1, false, PLACE);      \
    run_loop(                                                                                      \
        {body, data, team_size_for(task(), threads), FRAME, {"the parallel loop", PLACE}, &loop}); \
  }
PARALLEL_RUNTIME_LOOP(runtime)
PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime)
PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime)
#undef PARALLEL_RUNTIME_LOOP

CALL void GOMP_loop_end() { end_work(true); }
CALL bool GOMP_loop_end_cancel() { return end_work(true); }
CALL void GOMP_loop_end_nowait() { end_work(false); }
CALL void GOMP_ordered_start() {
  const Inside inside;
  start_ordered();
}
CALL void GOMP_ordered_end() {
  const Inside inside;
  end_ordered();
}

// ---- sections

CALL unsigned GOMP_sections_start(unsigned count) {
  omp::start();
  {
    const Inside inside;
    enter_work(sections_of(count, PLACE));
  }
  return next_section();
}
CALL unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory) {
  omp::start();
  {
    const Inside inside;
    add_extras(enter_work(sections_of(count, PLACE)), {reductions, memory});
  }
  return next_section();
}
CALL unsigned GOMP_sections_next() { return next_section(); }
CALL void GOMP_parallel_sections(Body body, void* data, unsigned threads, unsigned count,
                                 unsigned) {
  const LoopRequest loop = sections_of(count, PLACE);
  run_loop(
      {body, data, team_size_for(task(), threads), FRAME, {"the parallel sections", PLACE}, &loop});
}
CALL void GOMP_sections_end() { end_work(true); }
CALL bool GOMP_sections_end_cancel() { return end_work(true); }
CALL void GOMP_sections_end_nowait() { end_work(false); }
CALL void GOMP_scope_start(std::uintptr_t* reductions) {
  omp::start();
  const Inside inside;
  add_extras(enter_work({.construct = {"the scope", PLACE}}), {reductions, nullptr});
}

// ---- single

CALL bool GOMP_single_start() {
  omp::start();
  const Inside inside;
  return is_single();
}
// nullptr: the caller runs the block, and hands its values on by _end(). The others wait for them.
CALL void* GOMP_single_copy_start() {
  omp::start();
  const Inside inside;
  if (is_single()) return nullptr;
  barrier();
  return task().team->copied;
}
CALL void GOMP_single_copy_end(void* data) {
  const Inside inside;
  task().team->copied = data;
  barrier();
}
