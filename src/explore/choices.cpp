// SPDX-License-Identifier: Apache-2.0
#include "explore/choices.hpp"

#include <algorithm>
#include <charconv>

#include "base/contract.hpp"
#include "base/format.hpp"

namespace myr::explore {

void Choices::start_walk() noexcept {
  path_.clear();
  position_ = 0;
  is_random_ = false;
}

void Choices::start_random(std::uint64_t seed) noexcept {
  start_walk();
  is_random_ = true;
  random_state_ = seed;
  calm_ = 2U << (random() % 4);
}

bool Choices::start_replay(std::string_view text) {
  start_walk();
  while (!text.empty()) {
    Decision decision{0, 0};
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), decision.chosen);
    if (error != std::errc{}) return false;
    path_.push_back(decision);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() != '.') return false;
    if (!text.empty()) text.remove_prefix(1);
  }
  return true;
}

unsigned Choices::pick(unsigned count) {
  if (count <= 1) return 0;
  if (position_ == path_.size()) path_.push_back({is_random_ ? pick_random(count) : 0, count});
  Decision& decision = path_[position_++];
  // A shorter count means that the test body does not do the same in each execution.
  MYR_ASSERT(decision.chosen < count && (decision.count == 0 || decision.count == count));
  return decision.chosen;
}

bool Choices::advance() noexcept {
  while (!path_.empty() && path_.back().chosen + 1 == path_.back().count) path_.pop_back();
  rewind();
  if (path_.empty()) return false;
  path_.back().chosen += 1;
  return true;
}

void Choices::rewind() noexcept { position_ = 0; }

std::string Choices::text() const {
  std::string text;
  for (const Decision& decision : path_) {
    text += base::format("{}{}", text.empty() ? "" : ".", decision.chosen);
  }
  return text;
}

// SplitMix64: any seed is good.
std::uint64_t Choices::random() noexcept {
  std::uint64_t z = (random_state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

unsigned Choices::pick_random(unsigned count) noexcept {
  if (random() % calm_ != 0) return 0;
  return 1 + static_cast<unsigned>(random() % (count - 1));
}

}  // namespace myr::explore
