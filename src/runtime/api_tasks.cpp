// SPDX-License-Identifier: Apache-2.0
//
// The task calls of myr.h.
#include <algorithm>
#include <new>

#include "base/misuse.hpp"
#include "engine/worker_calls.hpp"
#include "myr/sim.h"
#include "plat/stack_state.hpp"
#include "runtime/runtime.hpp"
#include "runtime/sanitized_context.hpp"
#include "runtime/uncaught.hpp"
#include "sync/events.hpp"

using myr::engine::Worker;
using myr::runtime::check_filled;
using myr::runtime::check_given;
using myr::runtime::check_size;
using myr::runtime::context;
using myr::runtime::note_rethrown;
using myr::runtime::wait_at;
using myr::runtime::with_memory;

namespace {

// The awaited tasks may want to enter the critical region.
void check_critical(const myr_site* site) {
  if (MYR_LIKELY(myr::plat::critical_count == 0)) return;
  myr::base::misuse(site,
                    "a wait for tasks inside a critical region might never end, because the tasks "
                    "may be waiting for the region; leave it before waiting");
}

void complete_event(myr_event event, myr::base::Exception failure, const myr_site* site) {
  using Completion = myr::sync::Events::Completion;
  with_memory(site, [&] {
    if (myr::runtime::teller.load(myr::sync::relaxed) != nullptr) {
      myr::runtime::SanitizedContext::instance().complete_event(event);
    }
    const Completion completion = myr::sync::Events::instance().complete(event, failure);
    if (completion == Completion::Done || myr::runtime::is_over()) return;
    if (completion == Completion::Elsewhere && context(site).tell_event(event, failure, site)) {
      return;
    }
    myr::sync::Events::report_none(site);
  });
}

myr::base::Exception own(myr_exception exception) {
  if (exception.object != nullptr) {
    check_filled(exception.kind->size, sizeof *exception.kind, "myr_exception_kind");
  }
  return myr::base::Exception(exception);
}

// A function of the C interface as the body of a task whose closure is the function.
void call_function(void* closure, const myr_access* accesses) {
  if (accesses == MYR_CANCELLED) return;
  try {
    (*static_cast<myr_function*>(closure))(accesses);
  } catch (...) {
    context(nullptr).fail(myr::base::Exception::caught());
  }
}

// A draft of a task that calls the function, by call_function().
myr_draft draft_of(myr_function function, const myr_access* accesses, size_t count,
                   const myr_site* site) {
  check_size(sizeof function, count, site);
  with_memory(
      site,
      [&] {
        check_given(function, site);
        check_given(accesses, count, site);
      },
      false);
  const myr_draft draft = myr_draft_new_at(sizeof function, count, site);
  ::new (draft.closure) myr_function(function);
  std::copy_n(accesses, count, draft.accesses);
  return draft;
}

}  // namespace

myr_draft myr_draft_new_at(size_t closure_bytes, size_t access_count, const myr_site* site) {
  check_size(0, access_count, site);  // a worker looks at the other where it takes memory for it
  return with_memory(
      site,
      [&] {
        if (Worker* worker = Worker::current(); MYR_LIKELY(worker != nullptr)) {
          return worker->new_draft(closure_bytes, access_count);
        }
        check_size(closure_bytes, access_count, site);
        return context(site).new_draft(closure_bytes, access_count);
      },
      false);
}

void myr_draft_priority(myr_draft draft, int priority) {
  with_memory(nullptr, [&] { context(nullptr).set_priority(draft, priority); });
}

void myr_draft_keep_here(myr_draft draft) { context(nullptr).keep_here(draft); }
void myr_draft_save(myr_draft draft, const myr_closure_kind* kind) {
  check_filled(kind->size, sizeof *kind, "myr_closure_kind");
  context(nullptr).save(draft, kind);
}

void myr_submit_at(myr_draft draft, myr_body body, const myr_site* site) {
  with_memory(site, [&] {
    if (Worker* worker = Worker::current(); MYR_LIKELY(worker != nullptr)) {
      worker->submit(draft, body, site);
    } else {
      context(site).submit(draft, body, site);
    }
  });
}

void myr_submit_two_at(myr_draft draft, const myr_two_bodies* bodies, size_t last_count,
                       const myr_site* site) {
  check_filled(bodies->size, sizeof *bodies, "myr_two_bodies");
  with_memory(site, [&] { context(site).submit_two(draft, *bodies, last_count, site); });
}

void myr_submit_later_at(myr_draft draft, const myr_two_bodies* bodies, size_t last_count,
                         const myr_site* site) {
  check_filled(bodies->size, sizeof *bodies, "myr_two_bodies");
  with_memory(site, [&] { context(site).submit_later(draft, *bodies, last_count, site); });
}

void myr_spawn_at(myr_function function, const myr_access* accesses, size_t count,
                  const myr_site* site) {
  check_size(0, count, site);
  with_memory(site, [&] {
    check_given(function, site);
    check_given(accesses, count, site);
    if (Worker* worker = Worker::current(); MYR_LIKELY(worker != nullptr)) {
      worker->spawn(function, accesses, count, site);
    } else {
      context(site).spawn(function, accesses, count, site);
    }
  });
}

void myr_spawn_priority_at(int priority, myr_function function, const myr_access* accesses,
                           size_t count, const myr_site* site) {
  const myr_draft draft = draft_of(function, accesses, count, site);
  myr_draft_priority(draft, priority);
  myr_submit_at(draft, call_function, site);
}

void myr_spawn_later_at(myr_function function, const myr_access* accesses, size_t count,
                        const myr_site* site) {
  static constexpr myr_two_bodies kBody{sizeof(myr_two_bodies), call_function, nullptr, nullptr};
  myr_submit_later_at(draft_of(function, accesses, count, site), &kBody, 0, site);
}

void myr_pass_on_at(myr_exception exception, const myr_site* site) {
  using myr::base::Exception;
  const myr_draft draft = myr_draft_new_at(sizeof(Exception), 0, site);
  ::new (draft.closure) Exception(own(exception));
  myr_draft_keep_here(draft);
  const auto fail = [](void* closure, const myr_access* accesses) {
    auto& passed = *static_cast<Exception*>(closure);
    if (accesses != MYR_CANCELLED) context(nullptr).fail(std::move(passed));
    passed.~Exception();
  };
  myr_submit_at(draft, fail, site);
}

void myr_run_in_arena(unsigned workers, void (*function)(void*), void* argument) {
  if (workers == 0) return function(argument);
  const struct Inside {
    std::shared_ptr<myr::base::Arena> before;
    ~Inside() { context(nullptr).leave_arena(std::move(before)); }
  } inside{with_memory(nullptr, [&] { return context(nullptr).enter_arena(workers); })};
  function(argument);
}

void myr_wait_at(const myr_access* accesses, size_t count, const myr_site* site) {
  check_size(0, count, site);
  check_critical(site);
  if (myr::runtime::is_over()) return;
  const myr::plat::FreshStackState others;
  wait_at(site, [&] {
    with_memory(site, [&] {
      check_given(accesses, count, site);
      context(site).wait(accesses, count, site);
    });
  });
}

int myr_wait_for_at(uint64_t timeout_ns, const myr_access* accesses, size_t count,
                    const myr_site* site) {
  check_size(0, count, site);
  check_critical(site);  // it may run one of them
  if (myr::runtime::is_over()) return 1;
  const myr::plat::FreshStackState others;
  return wait_at(site, [&] {
    const auto ask = [&] {
      check_given(accesses, count, site);
      return context(site).wait_for(timeout_ns, accesses, count, site);
    };
    return with_memory(site, ask) ? 1 : 0;
  });
}

void myr_wait_all_at(const myr_site* site) {
  check_critical(site);
  if (myr::runtime::is_over()) return;
  const myr::plat::FreshStackState others;
  wait_at(site, [&] { with_memory(site, [&] { context(site).wait_all(); }); });
}

myr_event myr_event_new_at(const myr_site* site) {
  return with_memory(site, [&] { return context(site).new_event(site); });
}

void myr_event_complete_at(myr_event event, const myr_site* site) {
  complete_event(event, {}, site);
}

void myr_event_fail_at(myr_event event, myr_exception exception, const myr_site* site) {
  complete_event(event, own(exception), site);
}

void myr_take_event_failure(const myr_failure_taker* taker) {
  if (myr::sync::EventHolder* const holder = context(nullptr).event_holder()) {
    check_filled(taker->size, sizeof *taker, "myr_failure_taker");
    myr::sync::Events::instance().set_taker(*holder, *taker);
  }
}

myr_exception myr_await_events(void) {
  auto& running = context(nullptr);
  myr::sync::EventHolder* const holder = running.event_holder();
  if (holder == nullptr) return {};
  auto& events = myr::sync::Events::instance();
  // Some of its children may be to complete them, perhaps on this worker.
  if (events.is_open(*holder)) with_memory(nullptr, [&] { running.wait_all(); });
  events.await(*holder);
  myr::runtime::SanitizedContext::children_have_ended();
  return events.take_failure(*holder).release();
}

int myr_cancelled(void) { return context(nullptr).is_cancelled() ? 1 : 0; }

void myr_work(uint64_t cycles) { context(nullptr).work(cycles); }

void myr_touch(const void* first, size_t bytes, size_t rows, size_t stride, unsigned mode) {
  context(nullptr).touch({first, bytes, rows, stride, mode});
}

uint64_t myr_cycles(void) { return context(nullptr).cycles(); }

void myr_task_failed(myr_exception exception) {
  if (exception.object == nullptr) {
    myr::base::misuse(nullptr,
                      "a task has called pthread_exit(), or its thread was cancelled: the thread "
                      "is not the task's, and has others to run; let the task return");
  }
  context(nullptr).fail(own(exception));
}

myr_exception myr_take_failure(void) {
  auto failure = context(nullptr).take_failure();
  if (!failure) return {};
  note_rethrown(*failure);
  return failure->exception.release();
}

unsigned myr_version(void) { return MYR_VERSION; }
unsigned myr_worker_index(void) { return context(nullptr).worker_index(); }
unsigned myr_worker_count(void) { return context(nullptr).worker_count(); }
