// SPDX-License-Identifier: Apache-2.0
//
// The life of the process-wide runtime, and the worker that serves a call of the interface.
#pragma once

#include "cluster/seat.hpp"
#include "engine/engine.hpp"
#include "engine/worker.hpp"
#include "myr/myr.h"

namespace myr::runtime {

// Starts the machine with the settings of the environment, once. 0 or a negative code; see
// error_text().
[[nodiscard]] int start();
// Waits for all tasks, reports, stops the machine. Does nothing if it is not running.
void finish();
[[nodiscard]] const char* error_text(int code);

// What serves a call: on serial and smp the worker of the calling thread; on machines of agents
// nullptr, and the seat of the calling task does. Starts the machine if nobody has; a call from a
// thread that is neither main's nor a worker's is misuse.
[[nodiscard]] engine::Worker* worker_slow(const myr_site* site);
[[nodiscard]] inline engine::Worker* worker(const myr_site* site) {
  engine::Worker* current = engine::Worker::current();
  return MYR_LIKELY(current != nullptr) ? current : worker_slow(site);
}
// REQUIRES: worker() has returned nullptr.
[[nodiscard]] inline cluster::Seat& seat() { return *cluster::Seat::current(); }

}  // namespace myr::runtime
