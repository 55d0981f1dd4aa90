// SPDX-License-Identifier: Apache-2.0
//
// Arrays with room for the worst case, of which mostly little is used: zeros that take no memory
// until they are touched.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace myr::base {

struct FreeZeroed {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

template <class T>
using ZeroedArray = std::unique_ptr<T[], FreeZeroed>;

// REQUIRES: a T of zeros is one that was just made.
template <class T>
[[nodiscard]] ZeroedArray<T> make_zeroed(std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  void* const memory = std::calloc(count, sizeof(T));
  if (memory == nullptr) throw std::bad_alloc();
  return ZeroedArray<T>(static_cast<T*>(memory));
}

}  // namespace myr::base
