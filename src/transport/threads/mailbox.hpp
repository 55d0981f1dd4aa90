// SPDX-License-Identifier: Apache-2.0
//
// Mailbox: where the thread of one agent sleeps until a neighbour has sent something, a neighbour
// that was flooded has room again, or somebody else calls.
//
// Threads: owner_ functions by the agent's thread, post() and wake() by any.
#pragma once

#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "sync/atomic.hpp"
#include "sync/event_count.hpp"
#include "sync/sleepers.hpp"

namespace myr::transport::threads {

class alignas(base::kCacheLine) Mailbox {
 public:
  // The owner's threads sleep there, as these members. Before anybody posts.
  void sleep_in(sync::Sleepers& sleepers, std::vector<unsigned> members) {
    sleepers_ = &sleepers;
    members_ = std::move(members);
  }

  // The caller has changed something that the owner may wait for.
  void post() noexcept {
    if (sleepers_ != nullptr) {
      sleepers_->post_to_one_of(members_);
    } else {
      events_.post(1);
    }
  }

  // Ends the owner's wait under way, or else its next one.
  void wake() noexcept {
    // [mailbox.wake] What the caller wrote before is visible to the owner when its wait is over.
    is_called_.store(true, sync::release);
    events_.post(1);
  }

  // Whether wake() was called since the last time that this was true.
  [[nodiscard]] bool owner_take_call() noexcept {
    // Nobody but the owner takes calls back, so the exchange may be left out when there is none.
    if (!is_called_.load(sync::relaxed)) return false;
    return is_called_.exchange(false, sync::acquire);  // [mailbox.wake]
  }

  // Sleeps until post() or wake(), unless a last look finds something. Says whether it slept.
  template <class Look>
  bool owner_sleep_unless(Look look) {
    events_.announce();
    if (look()) {
      events_.cancel();
      return false;
    }
    events_.wait();
    return true;
  }

 private:
  sync::Sleepers* sleepers_ = nullptr;   // where the owner sleeps instead
  std::vector<unsigned> members_;        // of these
  sync::EventCount events_;              // the owner is the only one that sleeps here
  sync::Atomic<bool> is_called_{false};  // callers set it, the owner clears it [mailbox.wake]
};

}  // namespace myr::transport::threads
