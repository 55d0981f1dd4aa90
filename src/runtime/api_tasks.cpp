// SPDX-License-Identifier: Apache-2.0
//
// The task calls of myr.h.
#include "runtime/runtime.hpp"

using myr::engine::Worker;
using myr::graph::Task;

namespace {

Task* task_of(myr_draft draft) noexcept { return static_cast<Task*>(draft.task); }

}  // namespace

myr_draft myr_draft_new(size_t closure_bytes, size_t access_count) {
  Task* task = myr::runtime::worker(nullptr).draft(closure_bytes, access_count);
  return {task->closure(), task->accesses(), task};
}

void myr_submit_at(myr_draft draft, myr_body body, const myr_site* site) {
  Task* task = task_of(draft);
  task->body = body;
  task->site = site;
  Worker::current()->submit(task);
}

void myr_spawn_at(myr_function function, const myr_access* accesses, size_t count,
                  const myr_site* site) {
  Worker& worker = myr::runtime::worker(site);
  Task* task = worker.draft(0, count);
  task->flags = static_cast<std::uint8_t>(task->flags | myr::graph::kPlainFunction);
  task->function = function;
  task->site = site;
  myr_access* own = task->accesses();
  for (size_t i = 0; i < count; ++i) own[i] = accesses[i];
  worker.submit(task);
}

void myr_wait_at(const myr_access* accesses, size_t count, const myr_site* site) {
  myr::runtime::worker(site).wait(accesses, count, site);
}

void myr_wait_all_at(const myr_site* site) { myr::runtime::worker(site).wait_all(); }

void myr_task_failed(void* new_exception_ptr) {
  Worker::current()->fail(new_exception_ptr);
}

void* myr_take_failure(void) {
  const auto failure = myr::runtime::worker(nullptr).take_failure();
  return failure == nullptr ? nullptr : failure->exception;
}
