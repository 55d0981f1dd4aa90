// SPDX-License-Identifier: Apache-2.0
//
// What the steps of a random program do to memory, for both interpreters: a task folds all it reads
// into one hash, and what it writes depends on its hash, so that any wrong order changes some hash.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "program.hpp"
#include "rng.hpp"

namespace myr::random_test {

[[nodiscard]] constexpr std::uint64_t first_hash(unsigned task) noexcept { return mix(task, 77); }

// Reads all before it writes any, so that two that should take turns are likely to lose something.
inline void add(std::uint64_t hash, std::span<std::uint64_t> words) {
  std::vector<std::uint64_t> sums(words.begin(), words.end());
  for (std::size_t i = 0; i < words.size(); ++i) sums[i] += mix(hash, i);
  std::copy(sums.begin(), sums.end(), words.begin());
}
inline void add_atomically(std::uint64_t hash, std::span<std::uint64_t> words) noexcept {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::atomic_ref(words[i]).fetch_add(mix(hash, i), std::memory_order_relaxed);
  }
}

inline void touch(std::uint64_t& hash, std::span<std::uint64_t> words, const Access& access) {
  if (access.way == Way::Commutative) return add(hash, words);
  if (access.way == Way::Concurrent) return add_atomically(hash, words);
  if (access.mode != Mode::Out) {
    for (const std::uint64_t word : words) hash = mix(hash, word);
  }
  if (access.mode != Mode::In) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = mix(hash, i);
  }
}

// Words of a freshly allocated object, or of the part that a reallocation added.
inline void fill(std::uint64_t hash, unsigned object, std::span<std::uint64_t> words) noexcept {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = mix(hash + object, i);
}

}  // namespace myr::random_test
