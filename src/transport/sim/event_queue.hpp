// SPDX-License-Identifier: Apache-2.0
//
// EventQueue: what is going to happen in virtual time, earliest first; what happens at the same
// time comes out in the order in which it was put in. So a simulation is the same every time.
//
// Time never goes back, and the queue lives off that. A time is read as digits of six bits. An
// event lies at the level of the highest digit in which its time differs from now, in the slot of
// that digit's value. When all lower levels are empty, now jumps to the earliest time of the
// lowest slot, and the slot's events are spread over the levels below. An event moves down at most
// once per digit in which it lies ahead, which is two or three times for delays of up to 2^18
// cycles.
//
// Invariants
//   1. Events of equal time are in one slot, in the order in which they were put in: where an event
//      lies depends on its time and now alone, and spreading keeps the order.
//   2. At each level above the lowest, occupied slots are above now's digit.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/contract.hpp"

namespace myr::transport::sim {

using Cycles = std::uint64_t;

template <class Payload>
class EventQueue {
 public:
  [[nodiscard]] Cycles now() const noexcept { return now_; }
  [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // REQUIRES: not in the past. Cost: O(1).
  void push(Cycles time, const Payload& payload) {
    MYR_ASSERT(time >= now_);
    place({.time = time, .payload = payload});
    size_ += 1;
  }

  // Goes on to the time of the next event. REQUIRES: there is one. Cost: O(1) amortised.
  [[nodiscard]] Payload pop() {
    MYR_ASSERT(size_ != 0);
    if (levels_[0].occupied == 0) spread_next();
    Level& lowest = levels_[0];
    const auto digit = static_cast<unsigned>(std::countr_zero(lowest.occupied));
    std::vector<Event>& slot = lowest.slots[digit];
    const Event event = slot[taken_];
    taken_ += 1;
    if (taken_ == slot.size()) {
      taken_ = 0;
      slot.clear();
      lowest.occupied &= ~(std::uint64_t{1} << digit);
    }
    size_ -= 1;
    now_ = event.time;
    return event.payload;
  }

 private:
  static constexpr unsigned kDigitBits = 6;
  static constexpr unsigned kSlots = 1U << kDigitBits;
  static constexpr unsigned kLevels = (64 + kDigitBits - 1) / kDigitBits;

  struct Event {
    Cycles time;
    Payload payload;
  };
  struct Level {
    std::uint64_t occupied = 0;  // bit i: slot i has events
    std::array<std::vector<Event>, kSlots> slots;
  };

  void place(const Event& event) {
    const auto top_bit = static_cast<unsigned>(std::bit_width((event.time ^ now_) | 1)) - 1;
    const unsigned level = top_bit / kDigitBits;
    const unsigned digit = event.time >> (level * kDigitBits) & (kSlots - 1);
    levels_[level].occupied |= std::uint64_t{1} << digit;
    levels_[level].slots[digit].push_back(event);
  }

  // REQUIRES: the lowest level is empty, another is not.
  void spread_next() {
    unsigned level = 1;
    while (levels_[level].occupied == 0) level += 1;
    const auto digit = static_cast<unsigned>(std::countr_zero(levels_[level].occupied));
    levels_[level].occupied &= levels_[level].occupied - 1;
    spreading_.swap(levels_[level].slots[digit]);
    now_ = spreading_.front().time;
    for (const Event& event : spreading_) now_ = event.time < now_ ? event.time : now_;
    for (const Event& event : spreading_) place(event);
    spreading_.clear();
  }

  Cycles now_ = 0;
  std::size_t size_ = 0;
  std::size_t taken_ = 0;  // of the lowest occupied slot of the lowest level
  std::array<Level, kLevels> levels_;
  std::vector<Event> spreading_;  // empty between calls; keeps its memory
};

}  // namespace myr::transport::sim
