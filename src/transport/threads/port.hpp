// SPDX-License-Identifier: Apache-2.0
//
// BasicPort: what one agent has of the wires: the ends of its channels from and to its neighbours,
// and the mailbox where it sleeps. A template, so that tests and models can send other messages
// through smaller channels; the product's Port is named in wires.hpp.
//
// Sending never blocks and never fails: what does not fit into a channel stays here, in the outbox
// for that neighbour, and goes out in order as room appears. So a scheduler can always take what
// comes, and two agents that send to each other cannot block each other. An agent that is able to
// stop making messages does so while is_backed_up().
//
// What is sent becomes visible to its receiver at the next flush(), receive() or wait().
//
// Threads: all by the agent's own thread, or by several under a lock of theirs, except for wake().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "proto/agent.hpp"
#include "sync/atomic.hpp"
#include "transport/threads/channel.hpp"
#include "transport/threads/mailbox.hpp"

namespace myr::transport::threads {

using proto::AgentId;

template <class Message>
struct BasicIncoming {
  AgentId from;
  Message message;
};

struct PortStats {
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_delayed = 0;  // sent, but there was no room at once
  std::uint64_t parks = 0;             // times the agent went to sleep
};

// Wire::Message: what is sent; default constructible, movable.
// Wire::kCapacity: of each channel, in messages; a power of two.
// Wire::bytes_of(message): its size, for the statistics.
template <class Wire>
class alignas(base::kCacheLine) BasicPort {
 public:
  using Message = typename Wire::Message;
  using Incoming = BasicIncoming<Message>;
  using Link = Channel<Message, Wire::kCapacity>;

  // How many messages of one neighbour are received before it is the next one's turn.
  static constexpr unsigned kTurn = 8;

  // ---- while the wires are built, by one thread

  // `spin_rounds`: how often wait() looks before it goes to sleep.
  explicit BasicPort(unsigned spin_rounds) noexcept : spin_rounds_(spin_rounds) {}
  BasicPort(const BasicPort&) = delete;
  BasicPort& operator=(const BasicPort&) = delete;

  // REQUIRES: there is no channel to that neighbour yet.
  void add_outgoing(AgentId to, Link& link, BasicPort& receiver) {
    const std::size_t index = position_of(to);
    MYR_ASSERT(index == next_hops_.size() || next_hops_[index] != to);
    const auto offset = static_cast<std::ptrdiff_t>(index);
    next_hops_.insert(next_hops_.begin() + offset, to);
    exits_.insert(exits_.begin() + offset, Exit(link, receiver.mailbox_));
  }
  void add_incoming(AgentId from, Link& link, BasicPort& sender) {
    entrances_.push_back({from, typename Link::Receiver(link), &sender.mailbox_});
  }

  // The agent has several threads, or other reasons to wake: it does not wait() but sleeps there.
  // Those that have news post there. REQUIRES: `sleepers` lives as long as others send.
  void sleep_in(sync::Sleepers& sleepers, std::vector<unsigned> members) {
    mailbox_.sleep_in(sleepers, std::move(members));
  }
  // Wakes one of the owner's threads, if all sleep or the others are busy. Any thread.
  void wake_sleeper() noexcept { mailbox_.post(); }

  // ---- by the agent's thread

  // REQUIRES: `next_hop` is a neighbour.
  void send(AgentId next_hop, Message message) {
    const std::size_t index = position_of(next_hop);
    MYR_ASSERT(index != next_hops_.size() && next_hops_[index] == next_hop);
    stats_.messages_sent += 1;
    stats_.bytes_sent += Wire::bytes_of(message);
    Exit& exit = exits_[index];
    if (MYR_LIKELY(exit.outbox.empty() && exit.sender.has_room())) {
      exit.sender.push(std::move(message));
    } else {
      exit.outbox.push_back(std::move(message));
      outbox_messages_ += 1;
      stats_.messages_delayed += 1;
    }
    if (!exit.is_pending) {
      exit.is_pending = true;
      pending_.push_back(index);
    }
  }

  // The next message, if one has come: in order from each neighbour, by turns from all.
  [[nodiscard]] std::optional<Incoming> receive() {
    flush();
    // One look more than there are neighbours: the first may only end a turn.
    for (std::size_t looks = 0; looks <= entrances_.size() && !entrances_.empty(); ++looks) {
      Entrance& entrance = entrances_[turn_];
      if (turn_left_ != 0 && entrance.receiver.has_message()) {
        turn_left_ -= 1;
        return take_from(entrance);
      }
      turn_ = turn_ + 1 == entrances_.size() ? 0 : turn_ + 1;
      turn_left_ = kTurn;
    }
    return std::nullopt;
  }

  // Shows receivers what was sent, and moves as much of the outboxes into the channels as there is
  // room for. True: nothing is left.
  bool flush() {
    std::size_t kept = 0;
    for (const std::size_t index : pending_) {
      Exit& exit = exits_[index];
      move_on(exit);
      if (exit.sender.publish()) exit.receiver_mailbox->post();
      exit.is_pending = !exit.outbox.empty();
      if (exit.is_pending) pending_[kept++] = index;
    }
    pending_.resize(kept);
    return kept == 0;
  }

  // flush(), and asks for a wake if something is left. For an agent that sleeps elsewhere: see
  // sleep_in().
  void flush_or_ask() {
    if (MYR_LIKELY(flush())) return;
    for (const std::size_t index : pending_) exits_[index].sender.want_room(true);
  }

  // Whether an outbox is in use. A worker should spawn no more tasks until it is not.
  [[nodiscard]] bool is_backed_up() const noexcept { return outbox_messages_ != 0; }

  // Returns when something may have come, when there was or may be room for what is in an outbox,
  // or after wake(); spins for a while, then sleeps.
  void wait() {
    const std::size_t outbox_messages = outbox_messages_;
    flush();
    if (outbox_messages_ != outbox_messages) return;  // the caller may have waited for that
    for (unsigned round = 0; round < spin_rounds_; ++round) {
      if (has_news()) return;
      sync::spin_pause();
    }
    park();
  }

  [[nodiscard]] const PortStats& stats() const noexcept { return stats_; }

  // ---- by any thread

  // Ends the wait() under way, or else the next one. Order: what the caller wrote before is visible
  // behind that wait().
  void wake() noexcept { mailbox_.wake(); }

 private:
  struct Exit {
    Exit(Link& link, Mailbox& mailbox) noexcept : sender(link), receiver_mailbox(&mailbox) {}
    Exit(Exit&&) = default;  // messages cannot be copied
    Exit& operator=(Exit&&) = default;
    typename Link::Sender sender;
    Mailbox* receiver_mailbox;
    bool is_pending = false;     // listed in pending_
    std::deque<Message> outbox;  // not empty only if pending
  };
  struct Entrance {
    AgentId from;
    typename Link::Receiver receiver;
    Mailbox* sender_mailbox;
  };

  // Where it is, or belongs, among the next hops.
  [[nodiscard]] std::size_t position_of(AgentId next_hop) const noexcept {
    const auto at = std::lower_bound(next_hops_.begin(), next_hops_.end(), next_hop);
    return static_cast<std::size_t>(at - next_hops_.begin());
  }

  [[nodiscard]] std::optional<Incoming> take_from(Entrance& entrance) {
    std::optional<Incoming> incoming(std::in_place, entrance.from,
                                     std::move(entrance.receiver.front()));
    if (entrance.receiver.pop()) entrance.sender_mailbox->post();
    stats_.messages_received += 1;
    stats_.bytes_received += Wire::bytes_of(incoming->message);
    return incoming;
  }

  void move_on(Exit& exit) {
    while (!exit.outbox.empty() && exit.sender.has_room()) {
      exit.sender.push(std::move(exit.outbox.front()));
      exit.outbox.pop_front();
      outbox_messages_ -= 1;
    }
  }

  // REQUIRES: flushed; so all that is pending waits for room.
  [[nodiscard]] bool has_news() {
    return std::any_of(entrances_.begin(), entrances_.end(),
                       [](Entrance& entrance) { return entrance.receiver.has_message(); }) ||
           std::any_of(pending_.begin(), pending_.end(),
                       [&](std::size_t index) { return exits_[index].sender.has_room(); }) ||
           mailbox_.owner_take_call();
  }

  // REQUIRES: flushed.
  MYR_COLD void park() {
    for (const std::size_t index : pending_) exits_[index].sender.want_room(true);
    if (mailbox_.owner_sleep_unless([&] { return has_news(); })) {
      stats_.parks += 1;
      // If that was what ended the sleep, then it is not to end the next one, too.
      static_cast<void>(mailbox_.owner_take_call());
    }
    for (const std::size_t index : pending_) exits_[index].sender.want_room(false);
  }

  std::vector<AgentId> next_hops_;    // ascending
  std::vector<Exit> exits_;           // to each of them
  std::vector<std::size_t> pending_;  // of exits_: something is not published or in the outbox
  std::size_t outbox_messages_ = 0;   // in all outboxes
  std::vector<Entrance> entrances_;
  std::size_t turn_ = 0;  // of entrances_
  unsigned turn_left_ = kTurn;
  unsigned spin_rounds_;
  PortStats stats_;
  Mailbox mailbox_;
};

}  // namespace myr::transport::threads
