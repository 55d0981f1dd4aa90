// SPDX-License-Identifier: Apache-2.0
#include "engine/main_place.hpp"

#include <functional>
#include <unordered_map>

#include "plat/clock.hpp"

namespace myr::engine {

namespace {

struct HashOfPlace {
  std::size_t operator()(const Place& place) const noexcept {
    return std::hash<const void*>()(place.site) + static_cast<std::size_t>(place.kind);
  }
};
// Main's thread alone has it.
using Numbers = std::unordered_map<Place, std::size_t, HashOfPlace>;
Numbers& numbers() {
  static auto& all = *new Numbers;  // main may still wait when static objects are destroyed
  return all;
}

}  // namespace

constinit sync::Atomic<bool> MainPlace::is_wanted_{false};
MainPlace::Room MainPlace::rooms_[kRooms];
sync::Atomic<std::size_t> MainPlace::room_count_{1};
sync::Atomic<std::size_t> MainPlace::current_{0};
sync::Tally MainPlace::since_ticks_;

void MainPlace::begin(bool is_wanted) {
  is_wanted_.store(is_wanted, sync::relaxed);
  if (!is_wanted) return;
  numbers() = {{Place(), 0}};
  for (Room& room : rooms_) room.ticks = 0;
  room_count_.store(1, sync::relaxed);
  current_.store(0, sync::relaxed);
  since_ticks_ = plat::ticks();
}

std::size_t MainPlace::number_of(Place place) {
  const std::size_t count = room_count_.load(sync::relaxed);
  const auto [known, is_new] = numbers().try_emplace(place, count);
  if (!is_new) return known->second;
  if (count == kRooms) return known->second = kRooms - 1;
  rooms_[count].place = count == kRooms - 1 ? Place{Place::Kind::Others, nullptr} : place;
  room_count_.store(count + 1, sync::release);  // [engine.main_place]
  return count;
}

Place MainPlace::move_to(Place place) {
  const std::uint64_t ticks = plat::ticks();
  Room& left = rooms_[current_.load(sync::relaxed)];
  left.ticks += ticks - since_ticks_;
  since_ticks_ = ticks;
  current_.store(number_of(place), sync::relaxed);
  return left.place;
}

std::vector<std::uint64_t> MainPlace::times() {
  std::vector<std::uint64_t> ticks(room_count_.load(sync::acquire));  // [engine.main_place]
  for (std::size_t i = 0; i < ticks.size(); ++i) ticks[i] = rooms_[i].ticks;
  const std::size_t at = now();
  const std::uint64_t since = since_ticks_;
  const std::uint64_t until = plat::ticks();
  if (at < ticks.size() && since < until) ticks[at] += until - since;
  return ticks;
}

}  // namespace myr::engine
