// SPDX-License-Identifier: Apache-2.0
//
// Nanos with dependences in hardware: a plug-in that submits to the scheduler of paper 4 and moves
// what that finds ready to the central queue, as Nanos-RV does.
#pragma once

#include "nanos.hpp"

namespace nanos_rv {

using nanos::frame;
using nanos::kClosureWords;
using nanos::kNested;
using nanos::kRanges;
using nanos::submit;
using nanos::submit_child;
using nanos::take_child_slot;
using nanos::take_slot;
using nanos::wait_all;
using nanos::wait_children;
using nanos::work;

class Picos : public nanos::Dependences {
 public:
  bool submit(nanos::Task* task) override {
    const unsigned count = task->access_count;
    if (picos_submission_request(3 + 3 * count) != PICOS_FLAG_DONE) return false;
    picos_publish_stores();
    picos_submit_three_packets(reinterpret_cast<uint64_t>(task), count);
    for (unsigned i = 0; i < count; ++i) {
      picos_submit_three_packets(task->accesses[i].address, task->accesses[i].direction);
    }
    return true;
  }
  void retire(nanos::Task* task) override { picos_retire_task(task->picos_id); }
  void poll() override {
    bool& requested = requested_[core_index()].value;
    if (!requested) requested = picos_ready_task_request() == PICOS_FLAG_DONE;
    const uint64_t name = picos_fetch_sw_id();
    if (name == PICOS_NOTHING_TO_FETCH) return;
    auto* const task = reinterpret_cast<nanos::Task*>(name);
    task->picos_id = picos_fetch_picos_id();
    requested = false;
    nanos::scheduler->ready(task);
  }

 private:
  struct alignas(CACHE_LINE) Flag {
    bool value;
  };
  Flag requested_[CORES] = {};
};

inline Picos picos;

inline void start_core(unsigned core) {
  if (core == 0) nanos::start(&picos);
}

}  // namespace nanos_rv
