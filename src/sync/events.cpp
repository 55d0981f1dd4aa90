// SPDX-License-Identifier: Apache-2.0
#include "sync/events.hpp"

#include "base/misuse.hpp"
#include "plat/thread.hpp"

namespace myr::sync {

namespace {
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

bool Events::complete(std::uint64_t event) {
  const std::scoped_lock lock(lock_);
  const auto found = holders_.find(event);
  if (found == holders_.end()) return false;
  EventHolder& holder = *found->second;
  holders_.erase(found);
  holder.open_ -= 1;
  if (holder.open_ != 0) return true;
  if (holder.is_left_) {
    holder.completed();
  } else {
    changed_.notify_all();
  }
  return true;
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

}  // namespace myr::sync
