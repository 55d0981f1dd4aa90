// SPDX-License-Identifier: Apache-2.0
//
// What clang's OpenMP code calls for loops, sections, ordered and doacross. It passes the first and
// the last value of the loop variable, both included; each call exists for four types of it.
#include <algorithm>
#include <type_traits>

#include "check/next_call.hpp"
#include "check/omp_kmpc.hpp"
#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

using namespace myr::check;
using namespace myr::check::omp;

namespace {

enum KmpSchedule : int {
  kKmpStaticChunk = 33,
  kKmpStatic = 34,
  kKmpAuto = 38,
  kKmpStaticGreedy = 40,
  kKmpStaticBalanced = 41,
  kKmpBalancedChunk = 45,
  kKmpOrdered = 64,  // from here on: the same, ordered
  kKmpDistributeChunk = 91,
  kKmpDistribute = 92,
  kKmpNoMerge = 160,  // from here on: the same plus 128
};

int kind_of(int schedule) {
  constexpr int kModifiers = 3 << 29;
  const int kind = schedule & ~kModifiers;
  return kind >= kKmpNoMerge ? kind - 128 : kind;
}

template <class T>
Bounds inclusive_bounds(T first, T last, std::make_signed_t<T> step) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(step));
  const bool is_empty = step > 0 ? last < first : first < last;
  const auto from = static_cast<Unsigned>(step > 0 ? first : last);
  const auto to = static_cast<Unsigned>(step > 0 ? last : first);
  const std::uint64_t stride = step > 0 ? wide : -wide;
  const std::uint64_t count =
      is_empty ? 0 : static_cast<std::uint64_t>(static_cast<Unsigned>(to - from)) / stride + 1;
  return {static_cast<std::uint64_t>(first), wide, count};
}

template <class T>
struct StaticLoop {
  int* is_last;
  T* first;
  T* last;
  std::make_signed_t<T>* stride;
  std::make_signed_t<T> step;
  std::uint64_t chunk;  // 0: one part each
};

// The part of the member with this index of `size`.
template <class T>
void divide(const StaticLoop<T>& loop, std::uint64_t index, std::uint64_t size) {
  const Bounds bounds = inclusive_bounds(*loop.first, *loop.last, loop.step);
  std::uint64_t begin = loop.chunk * index;
  std::uint64_t end = begin + loop.chunk;
  if (loop.chunk == 0) {
    const std::uint64_t each = bounds.count / size;
    const std::uint64_t larger = bounds.count % size;
    begin = each * index + std::min(index, larger);
    end = begin + each + (index < larger ? 1 : 0);
  }
  end = std::min(end, bounds.count);
  const std::uint64_t stride = loop.chunk == 0 ? bounds.count : loop.chunk * size;
  const bool has_last = loop.chunk == 0
                            ? begin < end && end == bounds.count
                            : bounds.count != 0 && (bounds.count - 1) / loop.chunk % size == index;
  if (loop.is_last != nullptr) *loop.is_last = has_last ? 1 : 0;
  *loop.stride = static_cast<std::make_signed_t<T>>(stride * bounds.step);
  if (begin < end) {
    *loop.first = static_cast<T>(bounds.start + begin * bounds.step);
    *loop.last = static_cast<T>(bounds.start + (end - 1) * bounds.step);
  } else {  // a part whose end is before its begin
    *loop.first = static_cast<T>(loop.step > 0 ? 1 : 0);
    *loop.last = static_cast<T>(loop.step > 0 ? 0 : 1);
  }
}

template <class T>
void begin_static(int schedule, StaticLoop<T> loop) {
  const Inside inside;
  const int kind = kind_of(schedule);
  const bool has_chunk =
      kind == kKmpStaticChunk || kind == kKmpDistributeChunk || kind == kKmpBalancedChunk;
  loop.chunk = has_chunk ? std::max<std::uint64_t>(loop.chunk, 1) : 0;
  if (kind == kKmpDistribute || kind == kKmpDistributeChunk) {
    divide(loop, static_cast<std::uint64_t>(league_index()),
           static_cast<std::uint64_t>(league_size()));
  } else {
    divide(loop, task().index, task().team->size);
  }
}

LoopRequest request_of(int schedule, const Bounds& bounds, std::int64_t chunk, const void* place) {
  int kind = kind_of(schedule);
  const bool is_ordered = kind > kKmpOrdered && kind < kKmpDistributeChunk;
  if (is_ordered) kind -= 32;
  const bool is_static = kind == kKmpStatic || kind == kKmpStaticChunk || kind == kKmpAuto ||
                         kind == kKmpStaticGreedy || kind == kKmpStaticBalanced;
  const bool is_whole = is_static && (kind != kKmpStaticChunk || chunk < 1);
  const std::uint64_t least = chunk < 1 ? 1 : static_cast<std::uint64_t>(chunk);
  return {bounds, is_whole ? 0 : least, is_static, is_ordered, {"the loop", place}};
}

void begin_dispatch(const LoopRequest& request) {
  omp::start();
  const Inside inside;
  enter_work(request);
}

template <class T>
int next_of_dispatch(int* is_last, T* first, T* last, std::make_signed_t<T>* step) {
  const Inside inside;
  if (task().work == nullptr) return 0;
  const Bounds bounds = task().work->loop.bounds;
  std::uint64_t begin = 0;
  std::uint64_t behind = 0;
  if (!next_chunk(&begin, &behind)) {
    leave_work();
    return 0;
  }
  *first = static_cast<T>(begin);
  *last = static_cast<T>(behind - bounds.step);
  if (step != nullptr) *step = static_cast<std::make_signed_t<T>>(bounds.step);
  if (is_last != nullptr) {
    *is_last = behind == bounds.start + bounds.count * bounds.step ? 1 : 0;
  }
  return 1;
}

}  // namespace

#define KMPC_LOOP(suffix, T, Signed)                                                          \
  CALL void __kmpc_for_static_init_##suffix(const Ident*, int, int schedule, int* is_last,    \
                                            T* first, T* last, Signed* stride, Signed step,   \
                                            Signed chunk) {                                   \
    begin_static(schedule, StaticLoop<T>{is_last, first, last, stride, step,                  \
                                         chunk < 1 ? 0 : static_cast<std::uint64_t>(chunk)}); \
  }                                                                                           \
  CALL void __kmpc_dispatch_init_##suffix(const Ident*, int, int schedule, T first, T last,   \
                                          Signed step, Signed chunk) {                        \
    begin_dispatch(request_of(schedule, inclusive_bounds(first, last, step), chunk, PLACE));  \
  }                                                                                           \
  CALL int __kmpc_dispatch_next_##suffix(const Ident*, int, int* is_last, T* first, T* last,  \
                                         Signed* step) {                                      \
    return next_of_dispatch(is_last, first, last, step);                                      \
  }                                                                                           \
  CALL void __kmpc_dispatch_fini_##suffix(const Ident*, int) {}
KMPC_LOOP(4, std::int32_t, std::int32_t)
KMPC_LOOP(4u, std::uint32_t, std::int32_t)
KMPC_LOOP(8, std::int64_t, std::int64_t)
KMPC_LOOP(8u, std::uint64_t, std::int64_t)
#undef KMPC_LOOP
CALL void __kmpc_for_static_fini(const Ident*, int) {}
CALL void __kmpc_dispatch_deinit(const Ident*, int) {}

CALL void __kmpc_ordered(const Ident*, int) {
  const Inside inside;
  start_ordered();
}
CALL void __kmpc_end_ordered(const Ident*, int) {
  const Inside inside;
  end_ordered();
}

// ---- doacross: said of a loop before it is divided, and of its values

namespace {

struct KmpDimension {
  std::int64_t first;
  std::int64_t last;
  std::int64_t step;
};

}  // namespace

CALL void __kmpc_doacross_init(const Ident*, int, int count, const KmpDimension* dimensions) {
  omp::start();
  const Inside inside;
  Work& work = enter_work({.construct = {"the loop", PLACE}});
  for (int i = 0; i < count && work.dimensions.size() < static_cast<std::size_t>(count); ++i) {
    const Bounds bounds =
        inclusive_bounds(dimensions[i].first, dimensions[i].last, dimensions[i].step);
    work.dimensions.push_back(bounds);
  }
  task().doacross = std::move(task().work);
}
CALL void __kmpc_doacross_post(const Ident*, int, const std::int64_t* values) {
  const Inside inside;
  post(*task().doacross, reinterpret_cast<const std::uint64_t*>(values));
}
CALL void __kmpc_doacross_wait(const Ident*, int, const std::int64_t* values) {
  const Inside inside;
  wait_for_post(*task().doacross, reinterpret_cast<const std::uint64_t*>(values));
}
CALL void __kmpc_doacross_fini(const Ident*, int) {
  const Inside inside;
  task().work = std::move(task().doacross);
  leave_work();
}
