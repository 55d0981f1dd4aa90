// SPDX-License-Identifier: Apache-2.0
//
// Entry points for programs of clang: loops, ordered, doacross. Clang passes the first and the last
// value of the loop variable, both included; each entry point exists for four types of it. Sections
// are loops here.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <utility>

#include "omp/abi.hpp"
#include "omp/kmpc.hpp"
#include "omp/wait_until.hpp"

using namespace myr::omp;

namespace {

enum KmpSchedule : int {
  kKmpStaticChunk = 33,
  kKmpStatic = 34,
  kKmpDynamic = 35,
  kKmpGuided = 36,
  kKmpRuntime = 37,
  kKmpAuto = 38,
  kKmpStaticGreedy = 40,
  kKmpStaticBalanced = 41,
  kKmpGuidedIterative = 42,
  kKmpGuidedAnalytical = 43,
  kKmpBalancedChunk = 45,  // as static, each part a multiple of the chunk
  kKmpGuidedSimd = 46,
  kKmpRuntimeSimd = 47,
  kKmpOrdered = 64,  // from here on: the same, ordered
  kKmpDistributeChunk = 91,
  kKmpDistribute = 92,
  kKmpNoMerge = 160,  // from here on: the same plus 128
};
constexpr int kKmpModifiers = 3 << 29;
constexpr int kKmpMonotonic = 1 << 29;

// The iterations of a loop from `first` to `last`.
template <class T>
LoopBounds inclusive_bounds(T first, T last, std::make_signed_t<T> step) noexcept {
  using Unsigned = std::make_unsigned_t<T>;
  const auto wide = static_cast<std::int64_t>(step);
  LoopBounds bounds{static_cast<std::uint64_t>(first), 0, static_cast<std::uint64_t>(wide), 0};
  const bool empty = step > 0 ? last < first : first < last;
  if (!empty && step != 0) {
    const auto from = static_cast<Unsigned>(step > 0 ? first : last);
    const auto to = static_cast<Unsigned>(step > 0 ? last : first);
    const std::uint64_t stride = step > 0 ? bounds.step : -bounds.step;
    bounds.count = static_cast<std::uint64_t>(static_cast<Unsigned>(to - from)) / stride + 1;
  }
  bounds.end = bounds.start + bounds.count * bounds.step;
  return bounds;
}

std::uint32_t schedule_of(int kind) noexcept {
  switch (kind) {
    case kKmpStaticChunk:
    case kKmpStatic:
    case kKmpStaticGreedy:
    case kKmpStaticBalanced:
    case kKmpBalancedChunk:
      return kStatic;
    case kKmpRuntime:
    case kKmpRuntimeSimd:
      return kRuntime;
    case kKmpGuided:
    case kKmpGuidedIterative:
    case kKmpGuidedAnalytical:
    case kKmpGuidedSimd:
      return kGuided;
    case kKmpAuto:
      return kAuto;
    default:
      return kDynamic;
  }
}

LoopRequest request_of(LoopBounds bounds, int schedule, std::int64_t chunk) noexcept {
  const bool monotonic = (schedule & kKmpMonotonic) != 0;
  int kind = schedule & ~kKmpModifiers;
  if (kind >= kKmpNoMerge) kind -= 128;
  const bool ordered = kind > kKmpOrdered && kind < kKmpDistributeChunk;
  if (ordered) kind -= 32;
  if (kind == kKmpStatic || chunk < 1) chunk = kind == kKmpStatic ? 0 : 1;
  return {bounds, schedule_of(kind) | (monotonic ? std::uint32_t{kMonotonic} : 0), chunk, ordered};
}

// A loop that was left by cancellation is not over for us: clang before 19 does not say so.
void leave_unfinished(Thread& self) {
  if (self.at.loop.share != nullptr) leave_workshare(self);
}

// How many iterations make a part of a loop that clang divides by itself; 0: one part each.
std::uint64_t chunk_of(int kind, std::int64_t chunk, std::uint64_t iterations,
                       std::uint64_t parts) noexcept {
  if (kind == kKmpStatic || kind == kKmpDistribute) return 0;
  const std::uint64_t least = chunk < 1 ? 1 : static_cast<std::uint64_t>(chunk);
  if (kind != kKmpBalancedChunk) return least;
  const std::uint64_t each = (iterations + parts - 1) / parts;
  return (each + least - 1) / least * least;
}

// schedule(runtime): static, where nobody has said anything. `width` of a simd loop, else 1: parts
// are multiples of it.
void resolve_runtime(Thread& self, LoopRequest& request, std::uint64_t width) {
  if ((request.schedule & ~kMonotonic) != kRuntime) return;
  const std::uint32_t said = self.at.task->icv->schedule;
  resolve_schedule(self, request);
  if (said == (kDynamic | kUnsaid)) {
    request.schedule = kStatic;
    request.chunk = 0;
  }
  if (width == 1) return;
  if ((request.schedule & ~kMonotonic) == kAuto) {
    request.schedule = kStatic;
    request.chunk = 0;
  }
  const auto chunk = static_cast<std::uint64_t>(request.chunk);
  const std::uint64_t parts = self.at.team->size;
  request.chunk = static_cast<std::int64_t>(chunk != 0 ? chunk * width
                                                       : chunk_of(kKmpBalancedChunk,
                                                                  static_cast<std::int64_t>(width),
                                                                  request.bounds.count, parts));
  request.whole_chunks = true;
}

template <class T>
void begin_dispatch(int schedule, T first, T last, std::make_signed_t<T> step, std::int64_t chunk,
                    const void* code = __builtin_return_address(0)) {  // of the entry point
  Thread& self = myr::omp::self();
  leave_unfinished(self);
  self.at.observed.begin(code);
  LoopRequest request = request_of(inclusive_bounds(first, last, step), schedule, chunk);
  const bool simd = (schedule & ~kKmpModifiers) == kKmpRuntimeSimd && chunk > 1;
  resolve_runtime(self, request, simd ? static_cast<std::uint64_t>(chunk) : 1);
  if (enter_workshare(self)) {
    prepare_loop(*self.at.loop.share, request, self);
    publish(self);
  }
}

template <class T>
int next_of_dispatch(int* is_last, T* first, T* last, std::make_signed_t<T>* step) {
  Thread& self = myr::omp::self();
  LoopPlace& at = self.at.loop;
  if (at.share == nullptr) return 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  if (!fetch(self, &begin, &end)) {
    leave_workshare(self);
    return 0;
  }
  const LoopBounds& bounds = at.share->bounds;
  *first = static_cast<T>(begin);
  *last = static_cast<T>(bounds.start + (at.chunk_end - 1) * bounds.step);
  if (step != nullptr) *step = static_cast<std::make_signed_t<T>>(bounds.step);
  if (is_last != nullptr) *is_last = at.chunk_end == bounds.count ? 1 : 0;
  return 1;
}

// The parts of a loop that clang divides by itself among `count` threads or teams.
struct StaticShare {
  std::uint64_t begin;   // the first iteration of the part with this index, by number
  std::uint64_t end;     // behind its last; not after `begin`: it has none
  std::uint64_t stride;  // iterations from one part to its next
  bool has_last;
};
// `chunk` 0: one part each.
StaticShare static_share(std::uint64_t iterations, std::uint64_t chunk, std::uint64_t index,
                         std::uint64_t count) noexcept {
  if (chunk == 0) {
    const std::uint64_t each = iterations / count;
    const std::uint64_t larger = iterations % count;
    const std::uint64_t begin = each * index + (index < larger ? index : larger);
    const std::uint64_t end = begin + each + (index < larger ? 1 : 0);
    return {begin, end, iterations, begin != end && end == iterations};
  }
  chunk = std::min(chunk, iterations);
  const std::uint64_t chunks = (iterations - 1) / chunk + 1;
  if (index >= chunks) return {iterations, iterations, iterations, false};
  const std::uint64_t begin = chunk * index;
  const std::uint64_t left = iterations - begin;
  // Clang adds the stride in the loop's type, which may not hold more than the loop's end.
  const std::uint64_t stride = chunks - index > count ? chunk * count : left;
  return {begin, begin + std::min(chunk, left), stride, index == (chunks - 1) % count};
}

// What clang's code knows of its part of a loop.
template <class T>
struct StaticLoop {
  int* is_last;
  T* first;
  T* last;
  std::make_signed_t<T>* stride;
  std::make_signed_t<T> step;
  std::make_signed_t<T> chunk;
};

template <class T>
void set_part(const StaticLoop<T>& loop, const LoopBounds& bounds, const StaticShare& share) {
  const auto value = [&](std::uint64_t number) {
    return static_cast<T>(bounds.start + number * bounds.step);
  };
  if (loop.is_last != nullptr) *loop.is_last = share.has_last ? 1 : 0;
  *loop.stride = static_cast<std::make_signed_t<T>>(share.stride * bounds.step);
  if (share.begin < share.end) {
    *loop.first = value(share.begin);
    *loop.last = value(share.end - 1);
    return;
  }
  // None: a part whose end is before its begin, by values that do not wrap.
  using Limits = std::numeric_limits<T>;
  std::swap(*loop.first, *loop.last);
  if (*loop.first != *loop.last) return;
  T& grows = loop.step > 0 ? *loop.first : *loop.last;
  T& shrinks = loop.step > 0 ? *loop.last : *loop.first;
  if (grows != Limits::max()) {
    grows = static_cast<T>(grows + 1);
  } else {
    shrinks = static_cast<T>(shrinks - 1);
  }
}

int loop_kind_of(int schedule) noexcept {
  const int kind = schedule & ~kKmpModifiers;
  return kind >= kKmpNoMerge ? kind - 128 : kind;
}
// A distribute construct, whose iterations teams share, not the threads of one.
bool is_of_teams(int kind) noexcept {
  return kind == kKmpDistributeChunk || kind == kKmpDistribute;
}

// The part of a team or a thread. `schedule` says of which.
template <class T>
void divide_static(int schedule, const StaticLoop<T>& loop) {
  Thread& self = myr::omp::self();
  const int kind = loop_kind_of(schedule);
  const LoopBounds bounds = inclusive_bounds(*loop.first, *loop.last, loop.step);
  if (bounds.count == 0) {
    if (loop.is_last != nullptr) *loop.is_last = 0;
    *loop.stride = loop.step;
    return;
  }
  const bool by_team = is_of_teams(kind);
  const auto count = by_team ? static_cast<std::uint64_t>(self.team_count) : self.at.team->size;
  const auto index = by_team ? static_cast<std::uint64_t>(self.team_number) : self.at.index;
  set_part(
      loop, bounds,
      static_share(bounds.count, chunk_of(kind, loop.chunk, bounds.count, count), index, count));
}

template <class T>
void begin_static(int schedule, const StaticLoop<T>& loop,
                  const void* code = __builtin_return_address(0)) {
  self().at.observed.begin(code);
  // A record that can say that the loop is cancelled.
  if (MYR_UNLIKELY(settings.cancellation) && !is_of_teams(loop_kind_of(schedule))) {
    Thread& self = myr::omp::self();
    leave_unfinished(self);
    if (enter_workshare(self)) {
      self.at.loop.share->is_ordered = false;
      self.at.loop.share->may_batch = false;
      publish(self);
    }
  }
  divide_static(schedule, loop);
}

// distribute parallel for: first among teams, then among the threads of each. `team_last`: where
// the team's part ends.
template <class T>
void divide_twice(int schedule, const StaticLoop<T>& loop, T* team_last) {
  StaticLoop<T> team = loop;
  team.chunk = 0;
  int is_last_team = 0;
  team.is_last = &is_last_team;
  divide_static(kKmpDistribute, team);
  *team_last = *loop.last;
  begin_static(schedule, loop);
  if (loop.is_last != nullptr && is_last_team == 0) *loop.is_last = 0;
}

// As above, for parts that are handed out.
template <class T>
void begin_dispatch_in_team(int schedule, int* is_last, T first, T last, std::make_signed_t<T> step,
                            std::int64_t chunk) {
  std::make_signed_t<T> stride = 0;
  divide_static(kKmpDistribute, StaticLoop<T>{is_last, &first, &last, &stride, step, 0});
  begin_dispatch(schedule, first, last, step, chunk);
}

}  // namespace

#define MYR_KMPC_LOOP(suffix, T, Signed)                                                           \
  MYR_OMP_API void __kmpc_for_static_init_##suffix(const Ident*, int, int schedule, int* is_last,  \
                                                   T* first, T* last, Signed* stride, Signed step, \
                                                   Signed chunk) {                                 \
    begin_static(schedule, StaticLoop<T>{is_last, first, last, stride, step, chunk});              \
  }                                                                                                \
  MYR_OMP_API void __kmpc_team_static_init_##suffix(const Ident*, int, int* is_last, T* first,     \
                                                    T* last, Signed* stride, Signed step,          \
                                                    Signed chunk) {                                \
    divide_static(kKmpDistributeChunk, StaticLoop<T>{is_last, first, last, stride, step, chunk});  \
  }                                                                                                \
  MYR_OMP_API void __kmpc_dist_for_static_init_##suffix(                                           \
      const Ident*, int, int schedule, int* is_last, T* first, T* last, T* team_last,              \
      Signed* stride, Signed step, Signed chunk) {                                                 \
    divide_twice(schedule, StaticLoop<T>{is_last, first, last, stride, step, chunk}, team_last);   \
  }                                                                                                \
  MYR_OMP_API void __kmpc_dispatch_init_##suffix(const Ident*, int, int schedule, T first, T last, \
                                                 Signed step, Signed chunk) {                      \
    begin_dispatch(schedule, first, last, step, chunk);                                            \
  }                                                                                                \
  MYR_OMP_API void __kmpc_dist_dispatch_init_##suffix(                                             \
      const Ident*, int, int schedule, int* is_last, T first, T last, Signed step, Signed chunk) { \
    begin_dispatch_in_team(schedule, is_last, first, last, step, chunk);                           \
  }                                                                                                \
  MYR_OMP_API int __kmpc_dispatch_next_##suffix(const Ident*, int, int* is_last, T* first,         \
                                                T* last, Signed* step) {                           \
    return next_of_dispatch(is_last, first, last, step);                                           \
  }                                                                                                \
  MYR_OMP_API void __kmpc_dispatch_fini_##suffix(const Ident*, int) {}
MYR_KMPC_LOOP(4, std::int32_t, std::int32_t)
MYR_KMPC_LOOP(4u, std::uint32_t, std::int32_t)
MYR_KMPC_LOOP(8, std::int64_t, std::int64_t)
MYR_KMPC_LOOP(8u, std::uint64_t, std::int64_t)
#undef MYR_KMPC_LOOP

MYR_OMP_API void __kmpc_for_static_fini(const Ident*, int) {
  self().at.observed.end();
  if (MYR_UNLIKELY(settings.cancellation)) leave_unfinished(self());
}
MYR_OMP_API void __kmpc_dispatch_deinit(const Ident*, int) { leave_unfinished(self()); }

MYR_OMP_API void __kmpc_ordered(const Ident*, int) { wait_for_turn(self()); }
MYR_OMP_API void __kmpc_end_ordered(const Ident*, int) {}

// ---- doacross: ordered(n). Clang says this of a loop before it divides it, so it is not known
// which threads will run which iterations: each has a bit that says that it was posted [omp.post].

namespace myr::omp {

struct Doacross {
  struct Dimension {
    std::int64_t first;
    std::int64_t last;
    std::int64_t step;
  };
  Workshare* share;  // its memory: the bits
  unsigned dimension_count;
  Dimension dimensions[];
};

}  // namespace myr::omp

namespace {

using Bits = myr::sync::Atomic<std::uint32_t>;
constexpr std::uint64_t kBits = 32;

std::uint64_t count_of(const Doacross::Dimension& dimension) noexcept {
  return inclusive_bounds(dimension.first, dimension.last, dimension.step).count;
}

// The number of an iteration; false: there is none with these values.
bool number_of_iteration(const Doacross& loop, const std::int64_t* values,
                         std::uint64_t& number) noexcept {
  number = 0;
  for (unsigned i = 0; i < loop.dimension_count; ++i) {
    const Doacross::Dimension& dimension = loop.dimensions[i];
    const bool up = dimension.step > 0;
    const std::int64_t value = values[i];
    if (up ? value < dimension.first || value > dimension.last
           : value > dimension.first || value < dimension.last) {
      return false;
    }
    const auto away = static_cast<std::uint64_t>(value - dimension.first);
    const auto stride = static_cast<std::uint64_t>(dimension.step);
    number = number * count_of(dimension) + (up ? away / stride : -away / -stride);
  }
  return true;
}

Bits& bits_of(const Doacross& loop, std::uint64_t number) noexcept {
  void* memory = loop.share->memory;
  return static_cast<Bits*>(memory)[number / kBits];
}

}  // namespace

MYR_OMP_API void __kmpc_doacross_init(const Ident*, int, int count,
                                      const Doacross::Dimension* dimensions) {
  Thread& self = myr::omp::self();
  const auto number = static_cast<unsigned>(count);
  auto* loop =
      static_cast<Doacross*>(std::malloc(sizeof(Doacross) + number * sizeof(Doacross::Dimension)));
  if (loop == nullptr) fail("Out of memory for an ordered loop of %u dimensions", number);
  loop->dimension_count = number;
  std::uint64_t iterations = 1;
  for (unsigned i = 0; i < number; ++i) {
    loop->dimensions[i] = dimensions[i];
    iterations *= count_of(dimensions[i]);
  }
  leave_unfinished(self);
  if (enter_workshare(self)) {
    Workshare& share = *self.at.loop.share;
    share.is_ordered = false;
    share.may_batch = false;
    add_memory(share, (iterations / kBits + 1) * sizeof(Bits));
    publish(self);
  }
  loop->share = self.at.loop.share;
  self.at.loop = {};
  self.at.doacross = loop;
}
MYR_OMP_API void __kmpc_doacross_post(const Ident*, int, const std::int64_t* values) {
  Thread& self = myr::omp::self();
  const Doacross& loop = *self.at.doacross;
  std::uint64_t number = 0;
  if (!number_of_iteration(loop, values, number)) return;
  Bits& bits = bits_of(loop, number);
  note_release(&bits);
  bits.fetch_or(1U << number % kBits, myr::sync::release);  // [omp.post]
  self.at.team->choosy.post(kAll);
}
// One that does not exist need not be waited for.
MYR_OMP_API void __kmpc_doacross_wait(const Ident*, int, const std::int64_t* values) {
  Thread& self = myr::omp::self();
  const Doacross& loop = *self.at.doacross;
  std::uint64_t number = 0;
  if (!number_of_iteration(loop, values, number)) return;
  Bits& bits = bits_of(loop, number);
  wait_in_task(self, [&] {
    return (bits.load(myr::sync::acquire) >> number % kBits & 1U) != 0;  // [omp.post]
  });
  note_acquire(&bits);
}
MYR_OMP_API void __kmpc_doacross_fini(const Ident*, int) {
  Thread& self = myr::omp::self();
  Doacross* loop = self.at.doacross;
  leave_unfinished(self);
  self.at.loop = {};
  self.at.loop.share = loop->share;
  leave_workshare(self);
  self.at.doacross = nullptr;
  std::free(loop);
}
