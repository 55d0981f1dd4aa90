// SPDX-License-Identifier: Apache-2.0
//
// MainPlace: where main is, and how long it has been at each place: in a wait, in a task that it
// runs itself, or in its own code. Workers without work ask, for --stats.
//
// Threads: main's thread moves; any may ask meanwhile, and may get what was true a moment before:
// numbers for people. Cost: a move looks into a hash table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "myr/myr.h"
#include "sync/atomic.hpp"
#include "sync/tally.hpp"

namespace myr::engine {

struct Place {
  enum class Kind : std::uint8_t { OwnCode, Wait, Task, Others };
  Kind kind = Kind::OwnCode;
  const myr_site* site = nullptr;  // of the wait, or where the task was spawned; nullptr: unknown
  friend bool operator==(const Place&, const Place&) = default;
};

class MainPlace {
 public:
  // Before a machine starts: does anybody want to know? Forgets what was.
  static void begin(bool is_wanted);
  [[nodiscard]] static bool is_wanted() noexcept { return is_wanted_.load(sync::relaxed); }

  // Main's thread. From now on it is there; returns where it was.
  static Place move_to(Place place);

  // The ticks up to now of all places where it has been, by their numbers.
  [[nodiscard]] static std::vector<std::uint64_t> times();
  [[nodiscard]] static std::size_t now() noexcept { return current_.load(sync::relaxed); }
  [[nodiscard]] static Place place(std::size_t number) noexcept { return rooms_[number].place; }

 private:
  static constexpr std::size_t kRooms = 512;  // with own code, and the last for all that find none
  struct Room {
    Place place;
    sync::Tally ticks;
  };
  [[nodiscard]] static std::size_t number_of(Place place);

  static sync::Atomic<bool> is_wanted_;  // threads that call while a machine starts read it, too
  static Room rooms_[kRooms];
  // [engine.main_place] Main's thread publishes rooms that it has filled: all below are.
  static sync::Atomic<std::size_t> room_count_;
  static sync::Atomic<std::size_t> current_;
  static sync::Tally since_ticks_;
};

}  // namespace myr::engine
