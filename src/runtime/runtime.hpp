// SPDX-License-Identifier: Apache-2.0
//
// The life of the process-wide runtime, and the context that serves a call of the interface.
#pragma once

#include <new>

#include "base/contract.hpp"
#include "base/refusal.hpp"
#include "base/thread_context.hpp"
#include "engine/engine.hpp"
#include "myr/myr.h"
#include "sync/atomic.hpp"

namespace myr::runtime {

// Starts the machine with the settings of the environment, once. 0 or a negative code; see
// error_text().
[[nodiscard]] int start();
// The same with the program's configuration, which may be nullptr. A machine that runs is an error.
[[nodiscard]] int start(const myr_config* config);
// Waits for all tasks, reports, stops the machine. Does nothing if it is not running, in a task, or
// if it has a main, which is not the caller.
void finish();
// In a process of a job: what tasks were spawned before main run alone, and are over now.
void begin_main();
// What the machine that runs has counted. 0 or a code.
[[nodiscard]] int statistics(myr_statistics& filled);
[[nodiscard]] const char* error_text(int code);

// Does the calling thread belong to no machine, as there is none any more? Then all that there was
// is free.
[[nodiscard]] bool is_over();

// What serves a call of the calling thread. Starts the machine if nobody has. If that is not the
// process's first thread, the machine has no main, but where only main and tasks may call: no
// thread owns it then, all that call are guests, and it ends with the process.
[[nodiscard]] base::ThreadContext& find_context(const myr_site* site);
// For a program that is compiled with a sanitizer: what tells it, in the place of any context.
inline sync::Atomic<base::ThreadContext*> teller{nullptr};  // written while no machine runs
[[nodiscard]] inline base::ThreadContext& told(base::ThreadContext& context) {
  base::ThreadContext* const instead = teller.load(sync::relaxed);
  return MYR_LIKELY(instead == nullptr) ? context : *instead;
}
[[nodiscard]] inline base::ThreadContext& context(const myr_site* site) {
  base::ThreadContext* current = base::ThreadContext::current();
  return told(MYR_LIKELY(current != nullptr) ? *current : find_context(site));
}

// While it lives, main waits at the site, if the calling thread is main's.
class MainWaits {
 public:
  explicit MainWaits(const myr_site* site) noexcept;
  ~MainWaits() {
    if (is_main_) engine::MainPlace::move_to(before_);
  }
  MainWaits(const MainWaits&) = delete;
  MainWaits& operator=(const MainWaits&) = delete;

 private:
  const bool is_main_;
  engine::Place before_;
};
template <class Call>
MYR_COLD auto wait_observed(const myr_site* site, Call& call) {
  const MainWaits waits(site);
  return call();
}
// `call()`, in which the caller waits; --stats wants to know where main does.
template <class Call>
MYR_INLINE auto wait_at(const myr_site* site, Call call) {
  return MYR_LIKELY(!engine::MainPlace::is_wanted()) ? call() : wait_observed(site, call);
}

// Is a task so large that sums of its sizes might not fit? There is no memory for it.
[[noreturn]] MYR_COLD void report_no_memory_for(std::size_t closure_bytes, std::size_t access_count,
                                                const myr_site* site);
inline void check_size(std::size_t closure_bytes, std::size_t access_count, const myr_site* site) {
  constexpr std::size_t kMost = 0x7fff'fffe;
  if (MYR_LIKELY(closure_bytes <= kMost && access_count <= kMost)) return;
  report_no_memory_for(closure_bytes, access_count, site);
}

// A structure that a front end has filled in, with its size as the program's headers have it.
MYR_COLD void refuse_unfilled(const char* type);
inline void check_filled(std::size_t size, std::size_t known, const char* type) {
  if (MYR_UNLIKELY(size < known)) refuse_unfilled(type);
}

// The C interface takes anything: is there a function, and are there accesses that say what the
// task does? To be called by a call that may be refused.
MYR_COLD void refuse_nothing(const myr_site* site, const char* what);
MYR_COLD void refuse_no_mode(const myr_access& access, std::size_t number, const myr_site* site);
inline void check_given(const myr_access* accesses, std::size_t count, const myr_site* site) {
  if (MYR_UNLIKELY(accesses == nullptr && count != 0)) refuse_nothing(site, "accesses");
  for (std::size_t i = 0; i < count; ++i) {
    constexpr unsigned kUsed = MYR_INOUT | MYR_VALUE;
    if (MYR_UNLIKELY((accesses[i].flags & kUsed) == 0)) refuse_no_mode(accesses[i], i, site);
  }
}
inline void check_given(myr_function function, const myr_site* site) {
  if (MYR_UNLIKELY(function == nullptr)) refuse_nothing(site, "function");
}

// `call()`, which may need memory of the C++ library, or be refused: no exception crosses the
// interface but those of the program's error handler. `can_go_on`: the caller can do with nothing.
[[noreturn]] MYR_COLD void report_no_memory(const myr_site* site);
template <class Call>
MYR_INLINE auto with_memory(const myr_site* site, Call call, bool can_go_on = true) {
  try {
    return call();
  } catch (const base::Refusal& refusal) {
    base::hand_over(refusal, can_go_on);
  } catch (const std::bad_alloc&) {
    report_no_memory(site);
  }
  return decltype(call())();
}

}  // namespace myr::runtime
