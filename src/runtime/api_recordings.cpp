// SPDX-License-Identifier: Apache-2.0
//
// The calls of myr.h for repeated steps: whether begin and end go together is checked here, for all
// machines; what a step is good for is up to the machine.
#include <myr/openmp.h>

#include <memory>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "runtime/runtime.hpp"

using myr::base::ThreadContext;
using myr::runtime::context;
using myr::runtime::with_memory;

// Threads: those of the task that uses it.
struct myr_recording_state {
  const myr_site* begun = nullptr;  // where
  bool is_in_step = false;
  std::unique_ptr<myr::base::StepRecord> record;
};

namespace {

[[noreturn]] MYR_COLD void report_open_step(const char* call, const myr_recording_state& recording,
                                            const myr_site* site) {
  myr::base::misuse(site,
                    myr::base::format("{}: the step of this recording that began at {} is not "
                                      "ended: call myr_step_end() first",
                                      call, myr::base::describe(recording.begun)));
}

[[noreturn]] MYR_COLD void report_no_recording(const char* call, const myr_site* site) {
  myr::base::misuse(
      site, myr::base::format("{}: NULL is no recording; myr_recording_new() makes one", call));
}

}  // namespace

myr_recording myr_recording_new_at(const myr_site* site) {
  return with_memory(site, [] { return new myr_recording_state; });
}

void myr_recording_free_at(myr_recording recording, const myr_site* site) {
  if (recording == nullptr) return;
  if (recording->is_in_step) report_open_step("myr_recording_free", *recording, site);
  const std::unique_ptr<myr_recording_state> owned(recording);
  // Without a context the machine has stopped, and with it all tasks.
  if (ThreadContext* here = ThreadContext::current(); here != nullptr) {
    with_memory(site,
                [&] { myr::runtime::told(*here).free_record(recording->record.get(), site); });
  }
}

void myr_step_begin_at(myr_recording recording, const myr_site* site) {
  if (recording == nullptr) report_no_recording("myr_step_begin", site);
  if (recording->is_in_step) report_open_step("myr_step_begin", *recording, site);
  with_memory(site, [&] { context(site).begin_step(recording->record, site); });
  recording->is_in_step = true;
  recording->begun = site;
}

void myr_step_end_at(myr_recording recording, const myr_site* site) {
  if (recording == nullptr) report_no_recording("myr_step_end", site);
  if (!recording->is_in_step) {
    myr::base::misuse(site,
                      "myr_step_end: no step of this recording is under way: it is ended already, "
                      "or was never begun");
  }
  recording->is_in_step = false;
  with_memory(site, [&] { context(site).end_step(recording->record.get(), site); });
}

int myr_graph_begin_at(myr_recording* graph, const myr_site* site) {
  if (!context(site).runs_main() || (*graph != nullptr && (*graph)->is_in_step)) return 0;
  if (*graph == nullptr) *graph = myr_recording_new_at(site);
  myr_step_begin_at(*graph, site);
  return 1;
}
