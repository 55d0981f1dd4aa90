// SPDX-License-Identifier: Apache-2.0
#include "omp/workshare.hpp"

#include <cstdlib>
#include <new>
#include <utility>

#include "omp/team.hpp"
#include "omp/wait_until.hpp"

namespace myr::omp {

namespace {

enum Stage : std::uint32_t { kFree = 0, kPreparing = 1, kReady = 2 };

constexpr std::uint32_t kBatchMax = 16;
// A batch that takes less than this is doubled, one that takes more than twice as much is halved.
constexpr std::uint64_t kBatchTicks = 4'000;
// Beyond this number of iterations a counter that overshoots might wrap.
constexpr std::uint64_t kCountMax = std::uint64_t{1} << 48;

bool take_range(Thread& self, std::uint64_t begin, std::uint64_t end, std::uint64_t* first,
                std::uint64_t* behind) noexcept {
  LoopPlace& at = self.at.loop;
  const LoopBounds& bounds = at.share->bounds;
  at.chunk_begin = begin;
  at.chunk_end = end;
  *first = bounds.start + begin * bounds.step;
  *behind = end == bounds.count ? bounds.end : bounds.start + end * bounds.step;
  return true;
}

// How many chunks to reserve at once: as many as take a microsecond or two.
std::uint32_t next_batch(LoopPlace& at, std::uint64_t left, unsigned threads) noexcept {
  const std::uint64_t now = sync::ticks();
  const std::uint64_t took = now - at.ticks;
  at.ticks = now;
  if (took < kBatchTicks) {
    if (at.batch < kBatchMax) at.batch *= 2;
  } else if (took > 2 * kBatchTicks) {
    at.batch = at.batch > 2 ? at.batch / 2 : 1;
  }
  const std::uint64_t fair = left / (std::uint64_t{2} * threads * at.share->chunk);
  return fair < at.batch ? (fair == 0 ? 1 : static_cast<std::uint32_t>(fair)) : at.batch;
}

bool fetch_dynamic(Thread& self, std::uint64_t* first, std::uint64_t* behind) noexcept {
  LoopPlace& at = self.at.loop;
  Workshare& share = *at.share;
  const std::uint64_t count = share.bounds.count;
  const std::uint64_t chunk = share.chunk;
  if (at.reserved == at.reserved_end) {
    std::uint64_t next = share.next.load(sync::relaxed);
    if (next >= count) return false;
    std::uint64_t amount = chunk;
    if (at.may_batch) amount *= next_batch(at, count - next, self.at.team->size);
    if (MYR_LIKELY(count < kCountMax)) {
      next = share.next.fetch_add(amount, sync::relaxed);
      if (next >= count) return false;
    } else {
      std::uint64_t end = 0;
      do {
        if (next >= count) return false;
        end = count - next < amount ? count : next + amount;
      } while (!share.next.compare_exchange_weak(next, end, sync::relaxed, sync::relaxed));
    }
    at.reserved = next;
    at.reserved_end = count - next < amount ? count : next + amount;
  }
  const std::uint64_t begin = at.reserved;
  const std::uint64_t end = at.reserved_end - begin < chunk ? at.reserved_end : begin + chunk;
  at.reserved = end;
  return take_range(self, begin, end, first, behind);
}

bool fetch_guided(Thread& self, std::uint64_t* first, std::uint64_t* behind) noexcept {
  Workshare& share = *self.at.loop.share;
  const std::uint64_t count = share.bounds.count;
  const unsigned threads = self.at.team->size;
  std::uint64_t next = share.next.load(sync::relaxed);
  std::uint64_t amount = 0;
  do {
    if (next >= count) return false;
    const std::uint64_t left = count - next;
    amount = left / threads + (left % threads != 0 ? 1 : 0);
    if (amount < share.chunk) amount = share.chunk < left ? share.chunk : left;
    if (share.whole_chunks && amount > share.chunk) amount -= amount % share.chunk;
  } while (!share.next.compare_exchange_weak(next, next + amount, sync::relaxed, sync::relaxed));
  return take_range(self, next, next + amount, first, behind);
}

bool fetch_static(Thread& self, std::uint64_t* first, std::uint64_t* behind) noexcept {
  LoopPlace& at = self.at.loop;
  const Workshare& share = *at.share;
  const std::uint64_t count = share.bounds.count;
  const std::uint64_t threads = self.at.team->size;
  const std::uint64_t index = self.at.index;
  if (share.chunk == 0) {
    if (at.trips++ != 0) return false;
    const std::uint64_t each = count / threads;
    const std::uint64_t larger = count % threads;
    const std::uint64_t begin = each * index + (index < larger ? index : larger);
    const std::uint64_t end = begin + each + (index < larger ? 1 : 0);
    return begin != end && take_range(self, begin, end, first, behind);
  }
  const std::uint64_t number = at.trips * threads + index;
  if (number > count / share.chunk) return false;
  const std::uint64_t begin = number * share.chunk;
  if (begin >= count) return false;
  at.trips += 1;
  const std::uint64_t end = count - begin < share.chunk ? count : begin + share.chunk;
  return take_range(self, begin, end, first, behind);
}

constexpr std::uint64_t kOneAhead = std::uint64_t{1} << 32;
constexpr std::uint32_t kStages = 3;  // the bits of a stage

// Is it that of the construct with this number?
bool is_of(std::uint64_t state, std::uint32_t base) noexcept {
  return (static_cast<std::uint32_t>(state) & ~kStages) == base;
}

// The record of a construct whose place in the ring is another's: one that threads have not left
// yet, or, for a thread that is behind, one of those that come later.
MYR_COLD Workshare& record_ahead(Team& team, Workshare& place, std::uint32_t base) {
  const Lock lock(team.ahead_lock);
  for (;;) {
    for (Workshare* one = team.ahead; one != nullptr; one = one->next_ahead) {
      if (is_of(one->state.load(sync::relaxed), base)) return *one;
    }
    std::uint64_t state = place.state.load(sync::acquire);  // [omp.workshare]
    if (is_of(state, base)) return place;
    // [omp.workshare] The thread that frees the place sees that this construct does not want it.
    if (!place.state.compare_exchange_strong(state, state + kOneAhead, sync::acq_rel,
                                             sync::relaxed)) {
      continue;
    }
    void* const memory = std::aligned_alloc(alignof(Workshare), sizeof(Workshare));
    if (memory == nullptr) fail("Out of memory for a worksharing construct");
    auto* const made = new (memory) Workshare;
    made->state.store(base, sync::relaxed);
    made->is_ahead = true;
    made->next_ahead = std::exchange(team.ahead, made);
    note_release(made);  // another thread may free it
    return *made;
  }
}

// That of the next construct of this thread, whose number it raises.
Workshare& next_record(Thread& self) {
  Team& team = *self.at.team;
  const std::uint32_t number = self.at.workshares++;
  Workshare& place = team.ring[number % Team::kRing];
  const bool is_there = is_of(place.state.load(sync::acquire), 4 * number);  // [omp.workshare]
  Workshare& share = MYR_LIKELY(is_there) ? place : record_ahead(team, place, 4 * number);
  self.at.loop = {};
  self.at.loop.share = &share;
  return share;
}

MYR_COLD void drop_record(Team& team, Workshare& share) noexcept {
  {
    const Lock lock(team.ahead_lock);
    Workshare** at = &team.ahead;
    while (*at != &share) at = &(*at)->next_ahead;
    *at = share.next_ahead;
  }
  note_acquire(&share);
  share.~Workshare();
  std::free(&share);
}

// All have left its construct, and it is clear.
void free_record(Team& team, Workshare& share) noexcept {
  if (MYR_UNLIKELY(share.is_ahead)) return drop_record(team, share);
  std::uint64_t state = share.state.load(sync::relaxed);
  std::uint32_t next = 0;
  do {
    const auto ahead = static_cast<std::uint32_t>(state / kOneAhead);
    next = (static_cast<std::uint32_t>(state) & ~kStages) + 4 * Team::kRing * (1 + ahead);
    // [omp.workshare] The next user sees it clear.
  } while (!share.state.compare_exchange_weak(state, next, sync::release, sync::relaxed));
}

void pass_turn(Thread& self) {
  wait_for_turn(self);
  LoopPlace& at = self.at.loop;
  note_release(&at.share->turn);
  at.share->turn.store(at.chunk_end, sync::release);  // [omp.turn]
  self.at.team->choosy.post(kAll);
}

}  // namespace

bool enter_workshare(Thread& self) {
  Workshare& share = next_record(self);
  for (;;) {
    std::uint64_t state = share.state.load(sync::acquire);  // [omp.workshare]
    const std::uint64_t stage = state & kStages;
    if (stage == kReady) break;
    if (stage == kPreparing) {
      sync::spin_pause();
      continue;
    }
    // [omp.workshare] What the last of the construct before wrote is visible.
    if (share.state.compare_exchange_strong(state, state + kPreparing, sync::acquire,
                                            sync::relaxed)) {
      return true;
    }
  }
  self.at.loop.may_batch = share.may_batch;
  if (share.memory != nullptr) note_acquire(&share);
  return false;
}

void enter_sections(Thread& self, unsigned count) {
  static_cast<void>(next_record(self));
  self.at.loop.section_count = count;
}

unsigned fetch_section(Thread& self) noexcept {
  LoopPlace& at = self.at.loop;
  Workshare& share = *at.share;
  const std::uint32_t taken = share.sections_taken.fetch_add(1, sync::acq_rel);  // [omp.workshare]
  if (taken < at.section_count) return taken + 1;
  const std::uint32_t last = at.section_count + self.at.team->size - 1;
  at.share = nullptr;
  at.section_count = 0;
  if (taken == last) {
    share.sections_taken.store(0, sync::relaxed);
    free_record(*self.at.team, share);
  }
  return 0;
}

void publish(Thread& self) {
  Workshare& share = *self.at.loop.share;
  self.at.loop.may_batch = share.may_batch;
  if (share.memory != nullptr) note_release(&share);
  share.state.fetch_add(kReady - kPreparing, sync::release);  // [omp.workshare]
}

void clear_workshare(Workshare& share) noexcept {
  std::free(share.memory);
  std::free(share.dimensions);
  std::free(static_cast<void*>(share.posted));
  share.memory = nullptr;
  share.dimensions = nullptr;
  share.posted = nullptr;
  share.reductions = nullptr;
  share.section_count = 0;
  share.sections_taken.store(0, sync::relaxed);
  share.left.store(0, sync::relaxed);
  share.cancelled.store(0, sync::relaxed);
}

void leave_workshare(Thread& self) {
  LoopPlace& at = self.at.loop;
  self.at.observed.end();
  if (at.share == nullptr) return;  // sections whose end this thread has met
  Workshare& share = *at.share;
  if (share.is_ordered && at.chunk_end != at.chunk_begin) pass_turn(self);
  at.share = nullptr;
  const bool has_memory = share.memory != nullptr || share.posted != nullptr;
  if (has_memory) note_release(&share);
  // [omp.workshare] The last sees that all are done with it.
  if (share.left.fetch_add(1, sync::acq_rel) + 1 != self.at.team->size) return;
  if (has_memory) note_acquire(&share);
  clear_workshare(share);
  free_record(*self.at.team, share);
}

void clear_workshares(Team& team, std::uint32_t used) noexcept {
  const bool some = used < Team::kRing && !team.is_cancelled();
  for (std::uint32_t i = 0; i < (some ? used : Team::kRing); ++i) {
    clear_workshare(team.ring[i]);
    team.ring[i].state.store(std::uint64_t{4} * i, sync::relaxed);
  }
  while (MYR_UNLIKELY(team.ahead != nullptr)) {  // constructs that some threads have not come to
    clear_workshare(*team.ahead);
    drop_record(team, *team.ahead);
  }
}

LoopBounds bounds_of(std::uint64_t start, std::uint64_t end, std::uint64_t step, bool is_unsigned,
                     bool up) noexcept {
  LoopBounds bounds{start, end, step, 0};
  const auto signed_start = static_cast<std::int64_t>(start);
  const auto signed_end = static_cast<std::int64_t>(end);
  if (!is_unsigned) up = static_cast<std::int64_t>(step) > 0;
  const bool empty = is_unsigned ? (up ? start >= end : start <= end)
                                 : (up ? signed_start >= signed_end : signed_start <= signed_end);
  if (!empty) {
    const std::uint64_t width = up ? end - start : start - end;
    const std::uint64_t stride = up ? step : -step;
    bounds.count = stride == 0 ? 0 : (width - 1) / stride + 1;
  }
  return bounds;
}

void resolve_schedule(Thread& self, LoopRequest& request) {
  if ((request.schedule & ~kMonotonic) != kRuntime) return;
  const Icv& icv = *self.at.task->icv;
  request.schedule = icv.schedule & ~kUnsaid;
  request.chunk = icv.chunk;
}

void prepare_loop(Workshare& share, const LoopRequest& request, Thread&) {
  share.bounds = request.bounds;
  share.schedule = request.schedule & ~kMonotonic;
  if (share.schedule == kAuto) {
    share.schedule = kStatic;
    share.chunk = 0;
  } else {
    const auto chunk = static_cast<std::uint64_t>(request.chunk);
    share.chunk = chunk == 0 && share.schedule != kStatic ? 1 : chunk;
  }
  if (share.chunk > share.bounds.count && share.bounds.count != 0) {
    share.chunk = share.bounds.count;
  }
  share.is_ordered = request.is_ordered;
  share.whole_chunks = request.whole_chunks;
  share.may_batch = share.schedule == kDynamic && !request.is_ordered && !request.one_by_one;
  share.next.store(0, sync::relaxed);
  share.turn.store(0, sync::relaxed);
}

void add_memory(Workshare& share, std::size_t bytes) {
  share.memory = std::calloc(1, bytes);
  if (share.memory == nullptr) fail("Out of memory allocating %zu bytes", bytes);
}

bool fetch(Thread& self, std::uint64_t* first, std::uint64_t* behind) {
  LoopPlace& at = self.at.loop;
  Workshare& share = *at.share;
  if (MYR_LIKELY(at.reserved != at.reserved_end)) {
    if (MYR_UNLIKELY(share.cancelled.load(sync::relaxed) != 0)) return false;
    return fetch_dynamic(self, first, behind);
  }
  if (share.is_ordered && at.chunk_end != at.chunk_begin) {
    pass_turn(self);
    at.chunk_begin = at.chunk_end;
  }
  if (MYR_UNLIKELY(share.cancelled.load(sync::relaxed) != 0)) return false;
  if (self.at.team->is_cancelled()) return false;
  switch (share.schedule) {
    case kDynamic:
      return fetch_dynamic(self, first, behind);
    case kGuided:
      return fetch_guided(self, first, behind);
    default:
      return fetch_static(self, first, behind);
  }
}

void wait_for_turn(Thread& self) {
  LoopPlace& at = self.at.loop;
  if (at.share == nullptr || at.chunk_begin == at.chunk_end) return;
  Workshare& share = *at.share;
  wait_in_task(self, [&] {
    return share.turn.load(sync::acquire) == at.chunk_begin;  // [omp.turn]
  });
  note_acquire(&share.turn);
}

void prepare_doacross(Workshare& share, unsigned count, const std::uint64_t* counts, Thread& self) {
  share.dimension_count = count;
  share.dimensions = static_cast<std::uint64_t*>(std::calloc(count, sizeof *counts));
  // A thread runs the iterations of a chunk in order; those of guided chunks have no such bounds.
  share.part = share.schedule == kGuided ? 1 : share.chunk;
  const std::uint64_t parts = share.part == 0 ? self.at.team->size : counts[0] / share.part + 1;
  using Posted = sync::Atomic<std::uint64_t>;
  share.posted = static_cast<Posted*>(std::calloc(parts, sizeof(Posted)));
  if (share.dimensions == nullptr || share.posted == nullptr) {
    fail("Out of memory for an ordered loop of %zu parts", static_cast<std::size_t>(parts));
  }
  for (unsigned i = 0; i < count; ++i) share.dimensions[i] = counts[i];
  share.may_batch = false;
}

namespace {

sync::Atomic<std::uint64_t>& posted_at(const Workshare& share, std::uint64_t outermost,
                                       std::uint64_t threads) noexcept {
  if (share.part != 0) return share.posted[outermost / share.part];
  // In a static loop without chunks: the thread that runs the iteration.
  const std::uint64_t each = share.bounds.count / threads;
  const std::uint64_t larger = share.bounds.count % threads;
  const std::uint64_t in_larger = larger * (each + 1);
  return share.posted[outermost < in_larger ? outermost / (each + 1)
                                            : larger + (outermost - in_larger) / each];
}

// The number of an iteration in the order in which one thread would run them, plus 1.
std::uint64_t number_of(const Workshare& share, const std::uint64_t* counts) noexcept {
  std::uint64_t number = counts[0];
  for (unsigned i = 1; i < share.dimension_count; ++i) {
    number = number * share.dimensions[i] + counts[i];
  }
  return number + 1;
}

}  // namespace

void post(Thread& self, const std::uint64_t* counts) {
  Workshare* share = self.at.loop.share;
  if (share == nullptr || share->posted == nullptr) return;
  auto& posted = posted_at(*share, counts[0], self.at.team->size);
  note_release(&posted);
  posted.store(number_of(*share, counts), sync::release);  // [omp.post]
  self.at.team->choosy.post(kAll);
}

void wait_for_post(Thread& self, const std::uint64_t* counts) {
  const LoopPlace& at = self.at.loop;
  if (at.share == nullptr || at.share->posted == nullptr) return;
  const Workshare& share = *at.share;
  auto& posted = posted_at(share, counts[0], self.at.team->size);
  const std::uint64_t number = number_of(share, counts);
  wait_in_task(self, [&] {
    return posted.load(sync::acquire) >= number;  // [omp.post]
  });
  note_acquire(&posted);
}

}  // namespace myr::omp
