// SPDX-License-Identifier: Apache-2.0
//
// The task calls of myr.h.
#include <exception>
#include <memory>

#include "base/misuse.hpp"
#include "base/shared_word.hpp"
#include "graph/resolve.hpp"
#include "plat/stack_state.hpp"
#include "runtime/runtime.hpp"

using myr::cluster::UserTask;
using myr::engine::Worker;
using myr::graph::Task;
using myr::runtime::seat;

namespace {

// The caller has just written the accesses, a word at a time, and the last of them are not in the
// cache yet: a load of both words of one at once would have to wait until they are.
constexpr size_t kJustWritten = 2;

void copy_accesses(const myr_access* from, size_t count, myr_access* to) noexcept {
  size_t i = 0;
  for (; i + kJustWritten < count; ++i) to[i] = from[i];
  for (; i < count; ++i) {
    to[i].address = myr::base::load_shared(from[i].address);
    myr::graph::length_word(to[i]) = myr::base::load_shared(myr::graph::length_word(from[i]));
  }
}

// The tasks that the wait is for may want to enter.
void check_critical(const myr_site* site) {
  if (MYR_LIKELY(myr::plat::critical_count() == 0)) return;
  myr::base::misuse(site,
                    "a wait for tasks in a critical region: they may have to wait for the region's "
                    "end; leave it before");
}

}  // namespace

myr_draft myr_draft_new(size_t closure_bytes, size_t access_count) {
  if (Worker* worker = myr::runtime::worker(nullptr); MYR_LIKELY(worker != nullptr)) {
    Task* task = worker->draft(closure_bytes, access_count);
    return {task->closure(), task->accesses(), task};
  }
  UserTask& task = seat().draft(closure_bytes, access_count);
  return {task.closure(), task.accesses(), &task};
}

void myr_submit_at(myr_draft draft, myr_body body, const myr_site* site) {
  if (Worker* worker = Worker::current(); MYR_LIKELY(worker != nullptr)) {
    Task* task = static_cast<Task*>(draft.task);
    task->body = body;
    task->site = site;
    worker->submit(task);
    return;
  }
  auto* task = static_cast<UserTask*>(draft.task);
  task->body = body;
  task->site = site;
  seat().submit();
}

void myr_spawn_at(myr_function function, const myr_access* accesses, size_t count,
                  const myr_site* site) {
  Worker* worker = myr::runtime::worker(site);
  if (MYR_UNLIKELY(worker == nullptr)) {
    seat().spawn(function, accesses, count, site);
    return;
  }
  Task* task = worker->draft(0, count);
  task->flags = static_cast<std::uint8_t>(task->flags | myr::graph::kPlainFunction);
  task->function = function;
  task->site = site;
  copy_accesses(accesses, count, task->accesses());
  worker->submit(task);
}

void myr_wait_at(const myr_access* accesses, size_t count, const myr_site* site) {
  check_critical(site);
  const myr::plat::FreshStackState others;
  if (Worker* worker = myr::runtime::worker(site)) {
    worker->wait(accesses, count, site);
  } else {
    seat().wait(accesses, count, site);
  }
}

void myr_wait_all_at(const myr_site* site) {
  check_critical(site);
  const myr::plat::FreshStackState others;
  if (Worker* worker = myr::runtime::worker(site)) {
    worker->wait_all();
  } else {
    seat().wait_all();
  }
}

void myr_work(uint64_t cycles) {
  if (myr::runtime::worker(nullptr) == nullptr) seat().work(cycles);
}

uint64_t myr_cycles(void) { return myr::runtime::worker(nullptr) == nullptr ? seat().cycles() : 0; }

void myr_task_failed(void* new_exception_ptr) {
  if (Worker* worker = Worker::current()) {
    worker->fail(new_exception_ptr);
    return;
  }
  const std::unique_ptr<std::exception_ptr> exception(
      static_cast<std::exception_ptr*>(new_exception_ptr));
  seat().fail(std::move(*exception));
}

void* myr_take_failure(void) {
  if (Worker* worker = myr::runtime::worker(nullptr)) {
    const auto failure = worker->take_failure();
    return failure == nullptr ? nullptr : failure->exception;
  }
  const auto failure = seat().take_failure();
  return failure == nullptr ? nullptr : new std::exception_ptr(failure->exception);
}
