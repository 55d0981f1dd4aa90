// SPDX-License-Identifier: Apache-2.0
//
// What the steps of a random program do to memory, for both interpreters: a task folds all it reads
// into one hash, and what it writes depends on its hash, so that any wrong order changes some hash.
#pragma once

#include <cstdint>
#include <span>

#include "program.hpp"
#include "rng.hpp"

namespace myr::random_test {

[[nodiscard]] constexpr std::uint64_t first_hash(unsigned task) noexcept { return mix(task, 77); }

inline void touch(std::uint64_t& hash, std::span<std::uint64_t> words, Mode mode) noexcept {
  if (mode != Mode::Out) {
    for (const std::uint64_t word : words) hash = mix(hash, word);
  }
  if (mode != Mode::In) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = mix(hash, i);
  }
}

// Words of a freshly allocated object, or of the part that a reallocation added.
inline void fill(std::uint64_t hash, unsigned object, std::span<std::uint64_t> words) noexcept {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = mix(hash + object, i);
}

}  // namespace myr::random_test
