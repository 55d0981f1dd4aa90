// SPDX-License-Identifier: Apache-2.0
//
// Plain words that one thread writes while others may read them, where any mixture of old and new
// values is harmless to the readers: read and written whole, in no order. What needs an order is a
// sync::Atomic.
#pragma once

#include <cstdint>

namespace myr::base {

template <class Word>
[[nodiscard]] inline Word load_shared(const Word& word) noexcept {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
template <class Word>
inline void store_shared(Word& word, Word value) noexcept {
  __atomic_store_n(&word, value, __ATOMIC_RELAXED);
}

// A bool that others raise.
class SharedFlag {
 public:
  explicit SharedFlag(bool is_raised) noexcept : value_(is_raised ? 1 : 0) {}
  explicit operator bool() const noexcept { return value() != 0; }
  void raise() noexcept { store_shared(value_, std::uint8_t{1}); }
  // Not 0: raised.
  [[nodiscard]] std::uint8_t value() const noexcept { return load_shared(value_); }

 private:
  std::uint8_t value_;
};

}  // namespace myr::base
