// SPDX-License-Identifier: Apache-2.0
#include "sync/events.hpp"

#include <algorithm>
#include <utility>

#include "base/misuse.hpp"
#include "base/refusal.hpp"
#include "plat/thread.hpp"

namespace myr::sync {

namespace {

// The numbers of a process of a job begin behind these bits, with its own, counted from 1. So none
// of them looks like an address.
constexpr unsigned kProcessShift = 48;

// Never destroyed: threads that outlive main may complete events.
Events*& the_events() {
  static Events* events = new Events;
  return events;
}
}  // namespace

Events& Events::instance() { return *the_events(); }

void Events::forget() { the_events() = new Events; }

std::uint64_t Events::open(EventHolder& holder, const myr_site* site) {
  const std::scoped_lock lock(lock_);
  holders_.emplace(last_ + 1, &holder);
  holder.made_at_ = site;
  holder.open_ += 1;
  last_ += 1;
  return last_;
}

Events::Completion Events::complete(std::uint64_t event, base::Exception& failure) {
  const std::scoped_lock lock(lock_);
  const bool is_own = event >> kProcessShift == last_ >> kProcessShift;
  if (!is_own && event >> kProcessShift != 0) return Completion::Elsewhere;
  const auto found = holders_.find(event);
  if (found == holders_.end()) return Completion::Unknown;
  EventHolder& holder = *found->second;
  holders_.erase(found);
  if (!holder.failure_) holder.failure_ = std::move(failure);
  holder.open_ -= 1;
  if (holder.open_ == 0) holder.is_left_ ? holder.completed() : changed_.notify_all();
  return Completion::Done;
}

void Events::set_taker(EventHolder& holder, const myr_failure_taker& taker) {
  const std::scoped_lock lock(lock_);
  holder.taker_ = taker;
}

// The taker is code of the program's: so it is called without the lock. Nobody else has the holder.
base::Exception Events::take_failure(EventHolder& holder) {
  base::Exception failure;
  {
    const std::scoped_lock lock(lock_);
    failure = std::move(holder.failure_);
  }
  const myr_failure_taker& taker = holder.taker_;
  if (failure && taker.take != nullptr && taker.take(&taker, failure.get()) != 0) {
    static_cast<void>(failure.release());
  }
  return failure;
}

bool Events::is_open(const EventHolder& holder) {
  const std::scoped_lock lock(lock_);
  return holder.open_ != 0;
}

bool Events::leave(EventHolder& holder) {
  const std::scoped_lock lock(lock_);
  holder.is_left_ = holder.open_ != 0;
  return holder.is_left_;
}

void Events::await(EventHolder& holder) {
  std::unique_lock lock(lock_);
  if (holder.open_ != 0 && plat::is_only_thread()) {
    base::misuse(holder.made_at_,
                 "the task that has made this event has returned and waits for it for ever: no "
                 "other thread is there to complete it, and what comes later in the serial program "
                 "is too late");
  }
  changed_.wait(lock, [&] { return holder.open_ == 0; });
}

void Events::join_job(unsigned process) {
  const std::scoped_lock lock(lock_);
  last_ = std::max(last_, (std::uint64_t{process} + 1) << kProcessShift);
}

unsigned Events::maker_of(std::uint64_t event) {
  return static_cast<unsigned>((event >> kProcessShift) - 1);
}

void Events::report_none(const myr_site* site) {
  base::refuse(site,
               "no such event: it has been completed already, and each happens once; or no "
               "myr_event_new() has made it");
}

}  // namespace myr::sync
