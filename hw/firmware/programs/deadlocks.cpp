// SPDX-License-Identifier: Apache-2.0
//
// The two scenarios of section IV-C of paper 4, in which a core that both spawns and runs tasks
// would wait for ever if instructions waited: core 0 alone, without a runtime, SIZE tasks each.
// Prints how many tasks ran; elsewhere than on the system it says how many there are.
#include "frame.hpp"

#ifdef __riscv
#include "picos.h"
#endif

namespace {

#ifdef __riscv

bool submit(uint64_t name, uint64_t address) {
  if (picos_submission_request(6) != PICOS_FLAG_DONE) return false;
  picos_submit_three_packets(name, 1);
  picos_submit_three_packets(address, PICOS_DIRECTION_READS | PICOS_DIRECTION_WRITES);
  return true;
}

// Retires a task if one is in the core's ready queue; returns how many.
uint64_t run_one() {
  if (picos_fetch_sw_id() == PICOS_NOTHING_TO_FETCH) return 0;
  picos_retire_task(picos_fetch_picos_id());
  return 1;
}

// A task that core 0 asked for waits in its queue while it spawns, each task after the one before
// it, until there is no room: the refused submission must return, for only core 0 can make room.
uint64_t blocking_submission() {
  uint64_t spawned = 0;
  uint64_t done = 0;
  bool refused = false;
  picos_ready_task_request();
  while (done < SIZE) {
    if (spawned < SIZE && submit(spawned, 64)) {
      spawned += 1;
      continue;
    }
    refused |= spawned < SIZE;
    if (run_one() == 0) continue;
    done += 1;
    picos_ready_task_request();
  }
  if (!refused) fail("all tasks found room: nothing was tested; tasks", SIZE);
  return done + run_one();
}

// Core 0 asks for tasks, of which there is none, until that is refused: it must return, for only
// core 0 can spawn what it asks for.
uint64_t blocking_work_request() {
  uint64_t asked = 0;
  while (picos_ready_task_request() == PICOS_FLAG_DONE) asked += 1;
  if (asked == 0) fail("no request for a task was granted; tasks", SIZE);
  uint64_t spawned = 0;
  uint64_t done = 0;
  while (done < SIZE) {
    if (spawned < SIZE && submit(spawned, 64)) spawned += 1;
    const uint64_t ran = run_one();
    done += ran;
    if (ran != 0) picos_ready_task_request();
  }
  return done + run_one();
}

#else

uint64_t blocking_submission() { return SIZE; }
uint64_t blocking_work_request() { return SIZE; }

#endif

}  // namespace

extern "C" int firmware_main() {
  uint64_t ran[2];
  frame::measure([&] {
    // The second scenario leaves requests behind, so it comes last.
    ran[0] = blocking_submission();
    ran[1] = blocking_work_request();
  });
  frame::Digest digest;
  for (const uint64_t count : ran) digest.add_bits(count);
  digest.print();
  return 0;
}
