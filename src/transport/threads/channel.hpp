// SPDX-License-Identifier: Apache-2.0
//
// Channel: messages from one agent to a neighbour, in order; a ring of slots, its capacity the
// credit that the sender has.
//
//   position   returned     taken           published   pushed
//   slot          |  o   o    |  m   m   m   m  |  m   m   |  -   -      m: message, o: empty again
//                  withheld      to receive       not yet shown
//
// What both ends look at is written once for several messages: the sender shows what it pushed when
// it has no more to push; the receiver returns credit by half a ring. What one end alone needs
// lies in that end, so that it does not disturb the other.
//
// Threads: one has the Sender, one the Receiver. The channel outlives both.
//
// Invariants
//   1. returned <= taken <= published <= pushed <= returned + kCapacity, so that each position in
//      between has a slot of its own. They are counted modulo 2^32.
//   2. Credit that is withheld is less than kBatch <= kCapacity: if the sender finds the channel
//      full, then there is something in it to receive, and taking it will return credit.
#pragma once

#include <cstdint>
#include <utility>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "sync/atomic.hpp"
#include "sync/fence.hpp"

namespace myr::transport::threads {

template <class T, std::uint32_t kCapacity>
class Channel {
  static_assert(kCapacity >= 2 && (kCapacity & (kCapacity - 1)) == 0, "a power of two");
  static constexpr std::uint32_t kBatch = kCapacity / 2;

 public:
  class Sender {
   public:
    explicit Sender(Channel& channel) noexcept : channel_(&channel) {}

    [[nodiscard]] bool has_room() noexcept {
      if (MYR_LIKELY(pushed_ - returned_ != kCapacity)) return true;
      // [channel.credit] The receiver has moved the messages out of the slots up to there.
      returned_ = channel_->receiver_.returned.load(sync::acquire);
      return pushed_ - returned_ != kCapacity;
    }
    // REQUIRES: has_room().
    void push(T&& item) {
      channel_->slot_at(pushed_) = std::move(item);
      pushed_ += 1;
    }
    // Shows what was pushed to the receiver, which may sleep. False: there was nothing new.
    bool publish() noexcept {
      if (pushed_ == published_) return false;
      published_ = pushed_;
      // [channel.messages] The receiver sees the messages in the slots up to there.
      channel_->sender_.published.store(published_, sync::release);
      return true;
    }
    // Whether the receiver is to tell when it returns credit. Said before EventCount::announce(),
    // whose fence lets either the receiver see it or the sender see the credit.
    void want_room(bool wanted) noexcept {
      channel_->sender_.wants_room.store(wanted, sync::relaxed);
    }

   private:
    Channel* channel_;
    std::uint32_t pushed_ = 0;
    std::uint32_t published_ = 0;
    std::uint32_t returned_ = 0;  // as last seen
  };

  class Receiver {
   public:
    explicit Receiver(Channel& channel) noexcept : channel_(&channel) {}

    [[nodiscard]] bool has_message() noexcept {
      if (taken_ != published_) return true;
      // [channel.messages] The slots up to there are filled.
      published_ = channel_->sender_.published.load(sync::acquire);
      return taken_ != published_;
    }
    // The oldest message, to be moved out before pop(). REQUIRES: has_message().
    [[nodiscard]] auto& front() noexcept { return channel_->slot_at(taken_); }
    // True: credit was returned, and the sender waits for it.
    [[nodiscard]] bool pop() noexcept {
      taken_ += 1;
      if (MYR_LIKELY(taken_ - returned_ < kBatch)) return false;
      returned_ = taken_;
      // [channel.credit] The sender may fill the slots up to there again.
      channel_->receiver_.returned.store(returned_, sync::release);
      sync::light_fence();  // [fence.pair] with announce() of the sender
      return channel_->sender_.wants_room.load(sync::relaxed);
    }

   private:
    Channel* channel_;
    std::uint32_t taken_ = 0;
    std::uint32_t returned_ = 0;
    std::uint32_t published_ = 0;  // as last seen
  };

 private:
  // T; where the explorer looks for data races, something that stands for a T.
  using Slot = sync::Plain<T>;

  struct alignas(base::kCacheLine) SenderPart {
    sync::Atomic<std::uint32_t> published{0};  // sender writes, receiver reads [channel.messages]
    sync::Atomic<bool> wants_room{false};      // sender writes, receiver reads
  };
  struct alignas(base::kCacheLine) ReceiverPart {
    sync::Atomic<std::uint32_t> returned{0};  // receiver writes, sender reads [channel.credit]
  };

  [[nodiscard]] Slot& slot_at(std::uint32_t position) noexcept {
    return slots_[position & (kCapacity - 1)];
  }

  SenderPart sender_;
  ReceiverPart receiver_;
  // Filled by the sender [channel.messages], emptied by the receiver [channel.credit].
  alignas(base::kCacheLine) Slot slots_[kCapacity] = {};
};

}  // namespace myr::transport::threads
