// SPDX-License-Identifier: Apache-2.0
//
// The interface of <myr/myr.h>, as far as it makes sense without an operating system, over one of
// the runtimes: compile with -DRUNTIME=phentos, nanos_rv or nanos_sw.
//
// Core 0 runs the program. Tasks may spawn tasks with phentos, if compiled with -DNESTED=1. An
// access is the address where it starts, and there are at most 15; with -DBLOCK_SHIFT=n it is all
// blocks of 2 ^ n bytes that it touches, at most 15 in all (phentos). What cannot be done ends the
// program with a message and MYR_EXIT_MISUSE; regions and allocation inside of them are not there,
// which the linker says.
#include <myr/frontend.h>
#include <myr/openmp.h>

#include "firmware.h"
#include "platform.h"

#define RUNTIME_HEADER_OF(name) <name.hpp>
#define RUNTIME_HEADER(name) RUNTIME_HEADER_OF(name)
#include RUNTIME_HEADER(RUNTIME)

namespace {

// The accesses between myr_draft_new_at() and myr_submit_at(); how many they are stands in the
// unused low bits of the draft's task, where the compiler sees it. Only core 0 drafts. The
// destructor that does nothing ends the accesses' life, so that the compiler need not store what it
// has forwarded.
struct Drafted {
  myr_access accesses[PICOS_DEPS_MAX];
  ~Drafted() {}
};
alignas(Drafted) char draft_memory[sizeof(Drafted)];
inline Drafted& draft() { return *reinterpret_cast<Drafted*>(draft_memory); }
static_assert(PICOS_DEPS_MAX < CACHE_LINE);

#ifndef BLOCK_SHIFT
#define BLOCK_SHIFT 0 /* the logarithm of a block's bytes; 0: accesses are exact addresses */
#endif
static_assert(BLOCK_SHIFT == 0 || RUNTIME::kRanges, "only phentos has accesses of blocks");

struct Dependence {
  uint64_t address;    // 0: none
  uint64_t direction;  // the packet
};

inline Dependence dependence_of(const myr_access& access) {
  if ((access.flags & MYR_VALUE) != 0) return {0, 0};
  const uint64_t flags = access.flags;
  const uint64_t first = reinterpret_cast<uint64_t>(access.address);
  if (BLOCK_SHIFT == 0 || first == 0) return {first, flags & MYR_INOUT};
  const uint64_t last = first + (access.bytes == 0 ? 0 : access.bytes - 1);
  const uint64_t more = (last >> BLOCK_SHIFT) - (first >> BLOCK_SHIFT);
  if (more >= PICOS_DEPS_MAX) fail("an access may have 15 blocks here, one more than this", more);
  return {first, (flags & MYR_INOUT) | PICOS_RANGE(BLOCK_SHIFT, more)};
}

template <unsigned... kIndices>
struct Indices {};
template <unsigned kCount>
using IndicesBelow = Indices<__integer_pack(kCount)...>;

// Submits a task with the first `count` of the drafted accesses. They are read before the first
// instruction for the scheduler, by indices that are constants, so that the compiler keeps them in
// registers, and what is known of them where the task is spawned (direction, kind) costs nothing.
template <class Slot, unsigned... kIndices>
inline void submit_drafted(Slot slot, myr_body body, uint64_t count, Indices<kIndices...>) {
  const Dependence all[] = {kIndices < count ? dependence_of(draft().accesses[kIndices])
                                             : Dependence{0, 0}...};
  draft().~Drafted();
  uint64_t blocks = count;
  if (BLOCK_SHIFT != 0) blocks += (0 + ... + (all[kIndices].direction / PICOS_RANGE(0, 1)));
  if (BLOCK_SHIFT != 0 && blocks > PICOS_DEPS_MAX) {
    fail("a task may have 15 blocks in all its accesses here, this one has", blocks);
  }
  RUNTIME::submit(slot, body, static_cast<unsigned>(count), blocks, [all, count](auto each) {
    ((kIndices < count ? each(all[kIndices].address, all[kIndices].direction, kIndices + 1 == count)
                       : void()),
     ...);
  });
}

}  // namespace

extern "C" {

__thread unsigned myr_final_depth;

[[gnu::flatten]] void firmware_start(unsigned core) {
  RUNTIME::start_core(core);
  if (core != 0) RUNTIME::work(core);
  end_program(firmware_main());
}

myr_draft myr_draft_new_at(size_t closure_bytes, size_t access_count, const myr_site*) {
  if (access_count > PICOS_DEPS_MAX) {
    fail("a task may have 15 accesses here, this one has", access_count);
  }
  if (closure_bytes > RUNTIME::kClosureWords * sizeof(uint64_t)) {
    fail("a task's arguments do not fit into its cache lines, in bytes", closure_bytes);
  }
  using Slot = decltype(RUNTIME::take_slot());
  Slot taken;
  myr_access* accesses = draft().accesses;
  if constexpr (RUNTIME::kNested) {
    static myr_access unread[PICOS_DEPS_MAX];  // a child with accesses runs at once
    const bool is_child = RUNTIME::frame != nullptr;
    taken = is_child ? RUNTIME::take_child_slot() : RUNTIME::take_slot();
    if (is_child) accesses = unread;
  } else {
    if (RUNTIME::frame != nullptr) {
      fail("a task may spawn tasks only with phentos and -DNESTED=1; core", core_index());
    }
    taken = RUNTIME::take_slot();
  }
  // The compiler then knows that the low bits are free, and thus the count at submission.
  auto* const slot = static_cast<Slot>(__builtin_assume_aligned(taken, CACHE_LINE));
  return {slot->closure, accesses, reinterpret_cast<char*>(slot) + access_count};
}

void myr_submit_at(myr_draft drafted, myr_body body, const myr_site*) {
  using Slot = decltype(RUNTIME::take_slot());
  const uint64_t task = reinterpret_cast<uint64_t>(drafted.task);
  const uint64_t count = task % CACHE_LINE;
  const auto slot = reinterpret_cast<Slot>(task - count);
  if constexpr (RUNTIME::kNested) {
    if (RUNTIME::frame != nullptr) {
      return RUNTIME::submit_child(slot, body, static_cast<unsigned>(count));
    }
  }
  submit_drafted(slot, body, count, IndicesBelow<PICOS_DEPS_MAX>());
}

void myr_wait_all_at(const myr_site*) {
  RUNTIME::frame != nullptr ? RUNTIME::wait_children() : RUNTIME::wait_all();
}
// All tasks, those with other accesses too: it may wait longer than it has to.
void myr_wait_at(const myr_access*, size_t, const myr_site* site) { myr_wait_all_at(site); }

// There is no team of the compiler's to be in.
int omp_in_parallel(void) { return 0; }
void myr_team_misuse(const myr_site* site) { fail("inside of a team, at line", site->line); }

unsigned myr_worker_index(void) { return core_index(); }
unsigned myr_worker_count(void) { return CORES; }

}  // extern "C"
