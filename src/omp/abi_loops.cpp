// SPDX-License-Identifier: Apache-2.0
//
// Entry points of worksharing constructs: loops, sections, single, ordered. For each schedule the
// compiler calls other names; what they have in common is a request and a fetch.
#include <cstdarg>

#include "omp/abi.hpp"
#include "omp/gomp_calls.h"
#include "omp/places.hpp"
#include "omp/reductions.hpp"
#include "omp/team.hpp"
#include "omp/threads.hpp"
#include "omp/workshare.hpp"

using myr::omp::LoopRequest;
using myr::omp::Thread;
using Ull = unsigned long long;

namespace {

using namespace myr::omp;

std::uint64_t* as_words(long* value) noexcept { return reinterpret_cast<std::uint64_t*>(value); }
std::uint64_t* as_words(Ull* value) noexcept { return reinterpret_cast<std::uint64_t*>(value); }

LoopRequest request_of(long start, long end, long step, std::uint32_t schedule, long chunk,
                       bool is_ordered = false) {
  return {bounds_of(static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(end),
                    static_cast<std::uint64_t>(step), false, true),
          schedule, chunk, is_ordered};
}
LoopRequest request_of(bool up, Ull start, Ull end, Ull step, std::uint32_t schedule, Ull chunk,
                       bool is_ordered = false) {
  return {bounds_of(start, end, step, true, up), schedule, static_cast<std::int64_t>(chunk),
          is_ordered};
}

template <class Word>
bool start_loop(LoopRequest request, Word* begin, Word* end,
                const void* code = __builtin_return_address(0)) {  // of the entry point
  Thread& self = myr::omp::self();
  self.at.observed.begin(code);
  resolve_schedule(self, request);
  if (enter_workshare(self)) {
    prepare_loop(*self.at.loop.share, request, self);
    publish(self);
  }
  return fetch(self, as_words(begin), as_words(end));
}

template <class Word>
bool next(Word* begin, Word* end) {
  return fetch(myr::omp::self(), as_words(begin), as_words(end));
}

// GOMP_loop_start and its like: with task reductions and memory for all threads.
struct Extras {
  std::uintptr_t* reductions;
  void** memory;
};

template <class Prepare>
void start_with(Thread& self, const Extras& extras, Prepare prepare) {
  if (extras.reductions != nullptr) begin_workshare_group(self);
  if (enter_workshare(self)) {
    Workshare& share = *self.at.loop.share;
    prepare(share);
    if (extras.reductions != nullptr) {
      register_reductions(self, extras.reductions);
      share.reductions = extras.reductions;
    }
    if (extras.memory != nullptr) {
      add_memory(share, reinterpret_cast<std::size_t>(*extras.memory));
    }
    publish(self);
  } else if (extras.reductions != nullptr) {
    share_reductions(self, extras.reductions, self.at.loop.share->reductions);
  }
  if (extras.memory != nullptr) *extras.memory = self.at.loop.share->memory;
}

template <class Word>
bool start_loop_with(LoopRequest request, Word* begin, Word* end, const Extras& extras,
                     const void* code = __builtin_return_address(0)) {
  Thread& self = myr::omp::self();
  self.at.observed.begin(code);
  resolve_schedule(self, request);
  start_with(self, extras, [&](Workshare& share) { prepare_loop(share, request, self); });
  return begin == nullptr || fetch(self, as_words(begin), as_words(end));
}

template <class Word>
bool start_doacross(unsigned count, Word* counts, std::uint32_t schedule, std::int64_t chunk,
                    Word* begin, Word* end, const Extras& extras,
                    const void* code = __builtin_return_address(0)) {
  Thread& self = myr::omp::self();
  self.at.observed.begin(code);
  LoopRequest request{bounds_of(0, static_cast<std::uint64_t>(counts[0]), 1, true, true), schedule,
                      chunk, false};
  resolve_schedule(self, request);
  start_with(self, extras, [&](Workshare& share) {
    prepare_loop(share, request, self);
    prepare_doacross(share, count, as_words(counts), self);
  });
  return begin == nullptr || fetch(self, as_words(begin), as_words(end));
}

struct RegionRequest {
  void (*body)(void*);
  void* data;
  unsigned threads;
  unsigned flags;
  bool runs_body;  // else the program does, and ends the region
};

// A region that is a construct, which `prepare` prepares. It returns whether a thread that comes
// when the master has met its end has nothing to do.
template <class Prepare>
void parallel_construct(const RegionRequest& request, Prepare prepare) {
  const Span span(Construct::Region, request.runs_body ? code_of(request.body) : nullptr);
  Thread& self = myr::omp::self();
  const unsigned size = team_size_for(self, request.threads);
  Team& team = prepare_region(self, {request.body, request.data, size, request.flags & 7U});
  team.has_loop = true;
  const bool is_shared_out = prepare(self, team.ring[0]);
  team.may_recall = is_shared_out && place_count() == 0 && !settings.display_affinity;
  start_workers(self, team);
  if (!request.runs_body) return;
  request.body(request.data);
  end_region(self);
}

void parallel_loop(const RegionRequest& region, LoopRequest request) {
  parallel_construct(region, [&request](Thread& self, Workshare& share) {
    resolve_schedule(self, request);
    prepare_loop(share, request, self);
    share.state.store(2, myr::sync::relaxed);  // ready, as number 0: no worker has started yet
    const bool in_parts = share.schedule == kDynamic || share.schedule == kGuided;
    return in_parts && !share.is_ordered && !settings.cancellation;
  });
}

bool leave_and_meet() {
  Thread& self = myr::omp::self();
  leave_workshare(self);
  return barrier(self);
}

constexpr std::uint32_t kDynamicM = kDynamic | kMonotonic;
constexpr std::uint32_t kGuidedM = kGuided | kMonotonic;

// Reads the further sinks of a doacross wait, as many as the loop has dimensions.
constexpr unsigned kDimensionsMax = 64;

}  // namespace

// ---- Loops over long

#define MYR_LOOP(name, schedule, is_ordered)                                                      \
  MYR_OMP_API bool GOMP_loop_##name##_start(long start, long end, long step, long chunk,          \
                                            long* first, long* behind) {                          \
    return start_loop(request_of(start, end, step, schedule, chunk, is_ordered), first, behind);  \
  }                                                                                               \
  MYR_OMP_API bool GOMP_loop_##name##_next(long* first, long* behind) {                           \
    return next(first, behind);                                                                   \
  }                                                                                               \
  MYR_OMP_API bool GOMP_loop_ull_##name##_start(bool up, Ull start, Ull end, Ull step, Ull chunk, \
                                                Ull* first, Ull* behind) {                        \
    return start_loop(request_of(up, start, end, step, schedule, chunk, is_ordered), first,       \
                      behind);                                                                    \
  }                                                                                               \
  MYR_OMP_API bool GOMP_loop_ull_##name##_next(Ull* first, Ull* behind) {                         \
    return next(first, behind);                                                                   \
  }
MYR_LOOP(static, kStatic, false)
MYR_LOOP(dynamic, kDynamicM, false)
MYR_LOOP(guided, kGuidedM, false)
MYR_LOOP(nonmonotonic_dynamic, kDynamic, false)
MYR_LOOP(nonmonotonic_guided, kGuided, false)
MYR_LOOP(ordered_static, kStatic, true)
MYR_LOOP(ordered_dynamic, kDynamicM, true)
MYR_LOOP(ordered_guided, kGuidedM, true)
#undef MYR_LOOP

#define MYR_RUNTIME_LOOP(name, is_ordered)                                                         \
  MYR_OMP_API bool GOMP_loop_##name##_start(long start, long end, long step, long* first,          \
                                            long* behind) {                                        \
    return start_loop(request_of(start, end, step, kRuntime, 0, is_ordered), first, behind);       \
  }                                                                                                \
  MYR_OMP_API bool GOMP_loop_##name##_next(long* first, long* behind) {                            \
    return next(first, behind);                                                                    \
  }                                                                                                \
  MYR_OMP_API bool GOMP_loop_ull_##name##_start(bool up, Ull start, Ull end, Ull step, Ull* first, \
                                                Ull* behind) {                                     \
    return start_loop(request_of(up, start, end, step, kRuntime, 0, is_ordered), first, behind);   \
  }                                                                                                \
  MYR_OMP_API bool GOMP_loop_ull_##name##_next(Ull* first, Ull* behind) {                          \
    return next(first, behind);                                                                    \
  }
MYR_RUNTIME_LOOP(runtime, false)
MYR_RUNTIME_LOOP(nonmonotonic_runtime, false)
MYR_RUNTIME_LOOP(maybe_nonmonotonic_runtime, false)
MYR_RUNTIME_LOOP(ordered_runtime, true)
#undef MYR_RUNTIME_LOOP

// ---- Loops with task reductions or memory for all threads

MYR_OMP_API bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk,
                                 long* first, long* behind, std::uintptr_t* reductions,
                                 void** memory) {
  return start_loop_with(request_of(start, end, step, static_cast<std::uint32_t>(schedule), chunk),
                         first, behind, {reductions, memory});
}
MYR_OMP_API bool GOMP_loop_ordered_start(long start, long end, long step, long schedule, long chunk,
                                         long* first, long* behind, std::uintptr_t* reductions,
                                         void** memory) {
  return start_loop_with(
      request_of(start, end, step, static_cast<std::uint32_t>(schedule), chunk, true), first,
      behind, {reductions, memory});
}
MYR_OMP_API bool GOMP_loop_ull_start(bool up, Ull start, Ull end, Ull step, long schedule,
                                     Ull chunk, Ull* first, Ull* behind, std::uintptr_t* reductions,
                                     void** memory) {
  return start_loop_with(
      request_of(up, start, end, step, static_cast<std::uint32_t>(schedule), chunk), first, behind,
      {reductions, memory});
}
MYR_OMP_API bool GOMP_loop_ull_ordered_start(bool up, Ull start, Ull end, Ull step, long schedule,
                                             Ull chunk, Ull* first, Ull* behind,
                                             std::uintptr_t* reductions, void** memory) {
  return start_loop_with(
      request_of(up, start, end, step, static_cast<std::uint32_t>(schedule), chunk, true), first,
      behind, {reductions, memory});
}

// ---- doacross: ordered(n)

MYR_OMP_API bool GOMP_loop_doacross_start(unsigned count, long* counts, long schedule, long chunk,
                                          long* first, long* behind, std::uintptr_t* reductions,
                                          void** memory) {
  return start_doacross(count, counts, static_cast<std::uint32_t>(schedule), chunk, first, behind,
                        {reductions, memory});
}
MYR_OMP_API bool GOMP_loop_ull_doacross_start(unsigned count, Ull* counts, long schedule, Ull chunk,
                                              Ull* first, Ull* behind, std::uintptr_t* reductions,
                                              void** memory) {
  return start_doacross(count, counts, static_cast<std::uint32_t>(schedule),
                        static_cast<std::int64_t>(chunk), first, behind, {reductions, memory});
}
#define MYR_DOACROSS(name, schedule)                                                             \
  MYR_OMP_API bool GOMP_loop_doacross_##name##_start(unsigned count, long* counts, long chunk,   \
                                                     long* first, long* behind) {                \
    return start_doacross(count, counts, schedule, chunk, first, behind, {nullptr, nullptr});    \
  }                                                                                              \
  MYR_OMP_API bool GOMP_loop_ull_doacross_##name##_start(unsigned count, Ull* counts, Ull chunk, \
                                                         Ull* first, Ull* behind) {              \
    return start_doacross(count, counts, schedule, static_cast<std::int64_t>(chunk), first,      \
                          behind, {nullptr, nullptr});                                           \
  }
MYR_DOACROSS(static, kStatic)
MYR_DOACROSS(dynamic, kDynamicM)
MYR_DOACROSS(guided, kGuidedM)
#undef MYR_DOACROSS
MYR_OMP_API bool GOMP_loop_doacross_runtime_start(unsigned count, long* counts, long* first,
                                                  long* behind) {
  return start_doacross(count, counts, kRuntime, 0, first, behind, {nullptr, nullptr});
}
MYR_OMP_API bool GOMP_loop_ull_doacross_runtime_start(unsigned count, Ull* counts, Ull* first,
                                                      Ull* behind) {
  return start_doacross(count, counts, kRuntime, 0, first, behind, {nullptr, nullptr});
}
MYR_OMP_API void GOMP_doacross_post(long* counts) { post(self(), as_words(counts)); }
MYR_OMP_API void GOMP_doacross_ull_post(Ull* counts) { post(self(), as_words(counts)); }

#define MYR_DOACROSS_WAIT(name, Word)                                                              \
  MYR_OMP_API void name(Word first, ...) {                                                         \
    Thread& self = myr::omp::self();                                                               \
    if (self.at.loop.share == nullptr) return;                                                     \
    const unsigned count = self.at.loop.share->dimension_count;                                    \
    if (count > kDimensionsMax)                                                                    \
      fail("an ordered loop has %u dimensions; at most %u are offered", count, kDimensionsMax);    \
    std::uint64_t sink[kDimensionsMax] = {static_cast<std::uint64_t>(first)};                      \
    va_list rest;                                                                                  \
    va_start(rest, first);                                                                         \
    for (unsigned i = 1; i < count; ++i) sink[i] = static_cast<std::uint64_t>(va_arg(rest, Word)); \
    va_end(rest);                                                                                  \
    wait_for_post(self, sink);                                                                     \
  }
MYR_DOACROSS_WAIT(GOMP_doacross_wait, long)
MYR_DOACROSS_WAIT(GOMP_doacross_ull_wait, Ull)
#undef MYR_DOACROSS_WAIT

// ---- A parallel region that is one loop

#define MYR_PARALLEL_LOOP(name, schedule)                                                       \
  MYR_OMP_API void GOMP_parallel_loop_##name(void (*body)(void*), void* data, unsigned threads, \
                                             long start, long end, long step, long chunk,       \
                                             unsigned flags) {                                  \
    parallel_loop({body, data, threads, flags, true},                                           \
                  request_of(start, end, step, schedule, chunk));                               \
  }
MYR_PARALLEL_LOOP(static, kStatic)
MYR_PARALLEL_LOOP(dynamic, kDynamicM)
MYR_PARALLEL_LOOP(guided, kGuidedM)
MYR_PARALLEL_LOOP(nonmonotonic_dynamic, kDynamic)
MYR_PARALLEL_LOOP(nonmonotonic_guided, kGuided)
#undef MYR_PARALLEL_LOOP
#define MYR_PARALLEL_RUNTIME(name)                                                                \
  MYR_OMP_API void GOMP_parallel_loop_##name(void (*body)(void*), void* data, unsigned threads,   \
                                             long start, long end, long step, unsigned flags) {   \
    parallel_loop({body, data, threads, flags, true}, request_of(start, end, step, kRuntime, 0)); \
  }
MYR_PARALLEL_RUNTIME(runtime)
MYR_PARALLEL_RUNTIME(nonmonotonic_runtime)
MYR_PARALLEL_RUNTIME(maybe_nonmonotonic_runtime)
#undef MYR_PARALLEL_RUNTIME
// For compilers before gcc 4.9: the program calls the body itself, and GOMP_parallel_end.
#define MYR_PARALLEL_LOOP_START(name, schedule)                                                    \
  MYR_OMP_API void GOMP_parallel_loop_##name##_start(void (*body)(void*), void* data,              \
                                                     unsigned threads, long start, long end,       \
                                                     long step, long chunk) {                      \
    parallel_loop({body, data, threads, 0, false}, request_of(start, end, step, schedule, chunk)); \
  }
MYR_PARALLEL_LOOP_START(static, kStatic)
MYR_PARALLEL_LOOP_START(dynamic, kDynamicM)
MYR_PARALLEL_LOOP_START(guided, kGuidedM)
#undef MYR_PARALLEL_LOOP_START
MYR_OMP_API void GOMP_parallel_loop_runtime_start(void (*body)(void*), void* data, unsigned threads,
                                                  long start, long end, long step) {
  parallel_loop({body, data, threads, 0, false}, request_of(start, end, step, kRuntime, 0));
}

MYR_OMP_API void GOMP_loop_end() { leave_and_meet(); }
MYR_OMP_API bool GOMP_loop_end_cancel() { return leave_and_meet(); }
MYR_OMP_API void GOMP_loop_end_nowait() { leave_workshare(self()); }
MYR_OMP_API void GOMP_ordered_start() { wait_for_turn(self()); }
MYR_OMP_API void GOMP_ordered_end() {}

// ---- Sections

namespace {

// As a loop: iterations 1 to `count`, each of which may be long.
LoopRequest sections_of(unsigned count) {
  LoopRequest request = request_of(1, static_cast<long>(count) + 1, 1, kDynamic, 1);
  request.one_by_one = true;
  return request;
}

unsigned next_section(Thread& self) {
  if (MYR_LIKELY(self.at.loop.section_count != 0)) return fetch_section(self);
  std::uint64_t first = 0;
  std::uint64_t behind = 0;
  return fetch(self, &first, &behind) ? static_cast<unsigned>(first) : 0;
}

// Those that may be cancelled are left before their end by some threads.
bool are_plain(unsigned count) noexcept { return count != 0 && !settings.cancellation; }

void parallel_sections(const RegionRequest& region, unsigned count) {
  if (!are_plain(count)) return parallel_loop(region, sections_of(count));
  parallel_construct(region, [count](Thread&, Workshare& share) {
    share.section_count = count;
    return true;
  });
}

}  // namespace

MYR_OMP_API unsigned GOMP_sections_start(unsigned count) {
  Thread& self = myr::omp::self();
  self.at.observed.begin(__builtin_return_address(0));
  if (MYR_LIKELY(are_plain(count))) {
    enter_sections(self, count);
  } else if (enter_workshare(self)) {
    prepare_loop(*self.at.loop.share, sections_of(count), self);
    publish(self);
  }
  return next_section(self);
}
MYR_OMP_API unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions,
                                          void** memory) {
  Thread& self = myr::omp::self();
  self.at.observed.begin(__builtin_return_address(0));
  start_with(self, {reductions, memory},
             [&](Workshare& share) { prepare_loop(share, sections_of(count), self); });
  return next_section(self);
}
MYR_OMP_API unsigned GOMP_sections_next() { return next_section(self()); }
MYR_OMP_API void GOMP_parallel_sections(void (*body)(void*), void* data, unsigned threads,
                                        unsigned count, unsigned flags) {
  parallel_sections({body, data, threads, flags, true}, count);
}
MYR_OMP_API void GOMP_parallel_sections_start(void (*body)(void*), void* data, unsigned threads,
                                              unsigned count) {
  parallel_sections({body, data, threads, 0, false}, count);
}
MYR_OMP_API void GOMP_sections_end() { leave_and_meet(); }
MYR_OMP_API bool GOMP_sections_end_cancel() { return leave_and_meet(); }
MYR_OMP_API void GOMP_sections_end_nowait() { leave_workshare(self()); }

MYR_OMP_API void GOMP_scope_start(std::uintptr_t* reductions) {
  start_with(self(), {reductions, nullptr}, [](Workshare&) {});
}

// ---- single

MYR_OMP_API bool GOMP_single_start() { return claim_single(self()); }
// nullptr: the caller runs the block, and hands its values on by _end(). The others wait for them.
MYR_OMP_API void* GOMP_single_copy_start() {
  Thread& self = myr::omp::self();
  const bool first = enter_workshare(self);
  if (first) {
    Workshare& share = *self.at.loop.share;
    share.is_ordered = false;
    share.may_batch = false;
    publish(self);
    return nullptr;
  }
  Workshare& share = *self.at.loop.share;
  barrier(self);
  void* copied = share.copied;
  leave_workshare(self);
  return copied;
}
MYR_OMP_API void GOMP_single_copy_end(void* data) {
  Thread& self = myr::omp::self();
  self.at.loop.share->copied = data;
  barrier(self);
  leave_workshare(self);
}
