// SPDX-License-Identifier: Apache-2.0
//
// Loops and sections that the threads of a team share: which one gets which iterations. Each
// construct that a thread meets in a region has a number, and a record in a ring, which the first
// thread to come prepares and the last to leave clears. A thread so far ahead that others still use
// the record makes another one: threads may be any number of constructs apart.
//
// Iterations are numbered from 0, for all types of loop variables: number i stands for start + i *
// step, in 64 bits that wrap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/wait.hpp"
#include "sync/atomic.hpp"

namespace myr::omp {

struct Thread;
struct Team;

// What the compiler says of a loop.
struct LoopBounds {
  std::uint64_t start = 0;
  std::uint64_t end = 0;   // exclusive
  std::uint64_t step = 1;  // two's complement
  std::uint64_t count = 0;
};

struct Workshare {
  // Four times the number of the construct, plus what stands below; and in the high half how many
  // of those that would have this record next have one of their own [omp.workshare].
  sync::Atomic<std::uint64_t> state{0};
  Workshare* next_ahead = nullptr;  // of a list of those
  bool is_ahead = false;
  // Plain sections: how many were asked for, by any thread; see enter_sections() [omp.workshare].
  sync::Atomic<std::uint32_t> sections_taken{0};
  std::uint32_t section_count = 0;  // of a region that is sections
  sync::Plain<std::uint32_t> schedule = 0;
  bool is_ordered = false;
  sync::Plain<bool> may_batch = false;
  bool whole_chunks = false;
  std::uint64_t chunk = 1;
  LoopBounds bounds;
  sync::Plain<void*> memory = nullptr;  // zeroed, for the construct
  std::uintptr_t* reductions = nullptr;
  void* copied = nullptr;  // copyprivate
  // doacross: the counts of its dimensions, and for each part of the outermost loop that one thread
  // runs in order, the iteration that was posted last, plus 1 [omp.post].
  unsigned dimension_count = 0;
  std::uint64_t* dimensions = nullptr;
  sync::Atomic<std::uint64_t>* posted = nullptr;
  std::uint64_t part = 1;  // iterations of the outermost loop; 0: those of a thread

  alignas(64) sync::Atomic<std::uint64_t> next{0};  // iterations handed out; any thread
  // ordered: whose turn it is, as the number of its first iteration [omp.turn]
  alignas(64) sync::Atomic<std::uint64_t> turn{0};
  sync::Atomic<std::uint32_t> left{0};       // threads that have left [omp.workshare]
  sync::Atomic<std::uint32_t> cancelled{0};  // a flag, read as a hint
};

// Where a thread is in its present loop.
struct LoopPlace {
  Workshare* share = nullptr;
  std::uint64_t reserved = 0;      // iterations handed to it: the next of them ...
  std::uint64_t reserved_end = 0;  // ... and behind the last
  std::uint64_t chunk_begin = 0;   // those that it runs now
  std::uint64_t chunk_end = 0;
  std::uint64_t trips = 0;          // static: chunks taken
  std::uint64_t ticks = 0;          // when it last reserved some
  std::uint32_t batch = 1;          // chunks to reserve at once
  std::uint32_t section_count = 0;  // plain sections
  bool may_batch = false;
};

// Enters the next construct of this thread. True: it is the first, prepares the record and calls
// publish().
[[nodiscard]] bool enter_workshare(Thread& self);
void publish(Thread& self);
// Leaves the construct.
void leave_workshare(Thread& self);
// Frees what a record holds.
void clear_workshare(Workshare& share) noexcept;
// The records of a region that is over are as new. Its master has used so many constructs; in one
// that was cancelled, other threads may have used more.
void clear_workshares(Team& team, std::uint32_t used) noexcept;
// A zeroed block for all threads of the construct.
void add_memory(Workshare& share, std::size_t bytes);

struct LoopRequest {
  LoopBounds bounds;
  std::uint32_t schedule;
  std::int64_t chunk;
  bool is_ordered = false;
  bool one_by_one = false;    // iterations may be few and long: none are reserved
  bool whole_chunks = false;  // guided: all parts but the last are multiples of the chunk
};
[[nodiscard]] LoopBounds bounds_of(std::uint64_t start, std::uint64_t end, std::uint64_t step,
                                   bool is_unsigned, bool up) noexcept;
// schedule(runtime) becomes what the variables of the running task say.
void resolve_schedule(Thread& self, LoopRequest& request);
// Prepares a record for a loop; REQUIRES: enter_workshare() said so, or nobody else knows it.
void prepare_loop(Workshare& share, const LoopRequest& request, Thread& self);
// Hands out iterations, as the loop variable's values. False: none are left.
[[nodiscard]] bool fetch(Thread& self, std::uint64_t* begin, std::uint64_t* end);

// Plain sections: no reductions, no memory, not cancelled. No thread prepares the record, as each
// knows how many there are; and one that is told that none is left has left the construct.
void enter_sections(Thread& self, unsigned count);
// The next one, from 1; 0: none is left. REQUIRES: entered so, or the region is sections.
[[nodiscard]] unsigned fetch_section(Thread& self) noexcept;

// ordered
void wait_for_turn(Thread& self);

// doacross
void prepare_doacross(Workshare& share, unsigned count, const std::uint64_t* counts, Thread& self);
void post(Thread& self, const std::uint64_t* counts);
void wait_for_post(Thread& self, const std::uint64_t* counts);

}  // namespace myr::omp
