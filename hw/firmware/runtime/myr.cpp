// SPDX-License-Identifier: Apache-2.0
//
// The interface of <myr/myr.h>, as far as it makes sense without an operating system, over one of
// the runtimes: compile with -DRUNTIME=phentos, nanos_rv or nanos_sw.
//
// Core 0 runs the program; tasks do not spawn tasks. An access is the address where it starts, and
// there are at most 15. What cannot be done ends the program with a message and MYR_EXIT_MISUSE;
// regions and allocation inside of them are not there, which the linker says.
#include <myr/openmp.h>

#include "firmware.h"
#include "platform.h"

#define RUNTIME_HEADER_OF(name) <name.hpp>
#define RUNTIME_HEADER(name) RUNTIME_HEADER_OF(name)
#include RUNTIME_HEADER(RUNTIME)

namespace {

// What stands between myr_draft_new() and myr_submit_at(). Only core 0 has one.
myr_access drafted[PICOS_DEPS_MAX];
unsigned drafted_count;

// Moves the accesses that mean a dependence to the front; returns how many they are.
inline unsigned dependences(myr_access* accesses, unsigned count) {
  unsigned kept = 0;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned flags = accesses[i].flags;
    if ((flags & MYR_SAFE) != 0 || accesses[i].address == nullptr) continue;
    if (kept != i) accesses[kept] = accesses[i];
    kept += 1;
  }
  return kept;
}

}  // namespace

extern "C" {

__thread unsigned myr_final_depth;

[[gnu::flatten]] void firmware_start(unsigned core) {
  RUNTIME::start_core(core);
  if (core != 0) RUNTIME::work(core);
  end_program(firmware_main());
}

myr_draft myr_draft_new(size_t closure_bytes, size_t access_count) {
  if (core_index() != 0) fail("a task may not spawn tasks here; core", core_index());
  if (access_count > PICOS_DEPS_MAX) {
    fail("a task may have 15 accesses here, this one has", access_count);
  }
  if (closure_bytes > RUNTIME::kClosureWords * sizeof(uint64_t)) {
    fail("a task's arguments do not fit into its cache lines, in bytes", closure_bytes);
  }
  drafted_count = static_cast<unsigned>(access_count);
  auto* const slot = RUNTIME::take_slot();
  return {slot->closure, drafted, slot};
}

void myr_submit_at(myr_draft draft, myr_body body, const myr_site*) {
  using Slot = decltype(RUNTIME::take_slot());
  RUNTIME::submit(static_cast<Slot>(draft.task), body, drafted,
                  dependences(drafted, drafted_count));
}

void myr_wait_all_at(const myr_site*) { RUNTIME::wait_all(); }
// All tasks, those with other accesses too: it may wait longer than it has to.
void myr_wait_at(const myr_access*, size_t, const myr_site*) { RUNTIME::wait_all(); }

// There is no team of the compiler's to be in.
int omp_in_parallel(void) { return 0; }
void myr_team_misuse(const myr_site* site) { fail("inside of a team, at line", site->line); }

unsigned myr_worker_index(void) { return core_index(); }
unsigned myr_worker_count(void) { return CORES; }

}  // extern "C"
