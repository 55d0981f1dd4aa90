// SPDX-License-Identifier: Apache-2.0
//
// Plain words that one thread writes while others may read them, where any mixture of old and new
// values is harmless to the readers: read and written whole, in no order. What needs an order is a
// sync::Atomic.
#pragma once

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
  explicit SharedFlag(bool is_raised) noexcept : is_raised_(is_raised) {}
  explicit operator bool() const noexcept { return load_shared(is_raised_); }
  void raise() noexcept { store_shared(is_raised_, true); }

 private:
  bool is_raised_;
};

}  // namespace myr::base
