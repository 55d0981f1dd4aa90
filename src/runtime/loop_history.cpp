// SPDX-License-Identifier: Apache-2.0
#include "runtime/loop_history.hpp"

#include <initializer_list>

namespace myr::runtime {

namespace {

// Never 0, which stands for no loop.
std::uint64_t key_of(std::initializer_list<std::uint64_t> words) noexcept {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  std::uint64_t key = 0;
  for (const std::uint64_t word : words) {
    key = (key ^ word) * kFactor;
    key ^= key >> 29U;
  }
  return key | 1U;
}

}  // namespace

LoopHistory& LoopHistory::instance() noexcept {
  static constinit LoopHistory history;
  return history;
}

LoopPace& LoopHistory::pace(std::uintptr_t body) noexcept {
  const std::uint64_t key = key_of({body});
  LoopPace& found = paces_[(key >> 1U) % kLoops];
  if (found.key_.load(sync::relaxed) != key) {
    found.ticks_.store(0, sync::relaxed);
    found.key_.store(key, sync::relaxed);
  }
  return found;
}

LoopPlaces& LoopHistory::places(std::size_t begin, std::size_t end) noexcept {
  const std::uint64_t key = key_of({begin, end});
  LoopPlaces& found = places_[(key >> 1U) % kLoops];
  if (found.key_.load(sync::relaxed) != key) {
    for (auto& slot : found.slots_) slot.clear();
    found.key_.store(key, sync::relaxed);
  }
  return found;
}

}  // namespace myr::runtime
