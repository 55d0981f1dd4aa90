// SPDX-License-Identifier: Apache-2.0
//
// Events: what holds something open, a task, until any thread says that it has happened. All events
// of the process have numbers from one table, which are never used again: so one that is completed
// twice is noticed. A process of a job makes its own numbers, which tell all others whose event it
// is.
//
// Threads: any. One lock for all: an event is for what takes microseconds at least.
//
// Invariant: a holder is left by leave() or await() once, after its last open(). completed() is
// called at most once, under the lock, and not before leave() has returned true.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "base/failure.hpp"
#include "myr/frontend.h"

namespace myr::sync {

// What events hold open.
class EventHolder {
 public:
  EventHolder() noexcept = default;
  EventHolder(const EventHolder&) = delete;
  EventHolder& operator=(const EventHolder&) = delete;
  virtual ~EventHolder() = default;

 private:
  friend class Events;
  // The last of its events is completed. Called by the thread that did that, under the lock.
  virtual void completed() {}

  const myr_site* made_at_ = nullptr;  // the last event; these are guarded by the table's lock
  base::Exception failure_;            // of the first of its events that has failed
  myr_failure_taker taker_{};          // is told of it
  std::uint32_t open_ = 0;
  bool is_left_ = false;
};

class Events {
 public:
  [[nodiscard]] static Events& instance();
  // In a forked child: others may hold the lock, and are not there.
  static void forget();

  // A new event, which holds `holder` open. Never 0. `site`: the call that makes it.
  [[nodiscard]] std::uint64_t open(EventHolder& holder, const myr_site* site);
  enum class Completion : std::uint8_t {
    Done,
    Elsewhere,  // another process of the job has made it, and must be told
    Unknown,    // there is no such event, or no longer
  };
  // It has happened; or it never will, for the reason that is given, which is taken only if the
  // answer is Done.
  // Order: what the caller wrote before is visible to completed(), and after await().
  [[nodiscard]] Completion complete(std::uint64_t event, base::Exception& failure);
  // Is one of the holder's open?
  [[nodiscard]] bool is_open(const EventHolder& holder);
  // The holder has only its events to wait for. True: completed() will be called, or is already.
  // False: none is open.
  [[nodiscard]] bool leave(EventHolder& holder);
  // Returns when none of its events is open. If that cannot come, as there is no other thread that
  // could complete them, the program ends with a message.
  void await(EventHolder& holder);
  // It is told if one of the holder's events fails. Called by the thread that runs what is held
  // open.
  void set_taker(EventHolder& holder, const myr_failure_taker& taker);
  // Why one of the holder's events has failed, if one has, and if no taker has taken that.
  // REQUIRES: none is open.
  [[nodiscard]] base::Exception take_failure(EventHolder& holder);
  // Returns when no completed() is under way.
  void settle() { const std::scoped_lock lock(lock_); }

  // From now on the process is one of a job. No event is open.
  void join_job(unsigned process);
  // The process of a job that has made it, if the number is that of an event.
  [[nodiscard]] static unsigned maker_of(std::uint64_t event);
  // Ends the process: there is no such event.
  [[noreturn]] static void report_none(const myr_site* site);

 private:
  std::mutex lock_;  // guards what follows
  std::condition_variable changed_;
  std::unordered_map<std::uint64_t, EventHolder*> holders_;  // of open events
  std::uint64_t last_ = 0;
};

}  // namespace myr::sync
