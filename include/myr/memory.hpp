// SPDX-License-Identifier: Apache-2.0
//
// Sizes and places in memory, and objects that are built there: a part of myr.hpp.
//
// Counts, sizes and places that do not fit into 64 bits become the greatest number, or the least.
// As a size the greatest is more than any memory has, and a message says so; a number that is wrong
// by 2^64 would be believed.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace myr::inline v0::detail {

constexpr std::size_t saturated_sum(std::size_t a, std::size_t b) noexcept {
  std::size_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::size_t{0} : sum;
}
constexpr std::size_t saturated_difference(std::size_t a, std::size_t b) noexcept {
  return a < b ? 0 : a - b;
}
constexpr std::size_t saturated_product(std::size_t a, std::size_t b) noexcept {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::size_t{0} : product;
}
template <class... Count>
constexpr std::size_t saturated_total(Count... counts) noexcept {
  std::size_t total = 0;
  ((total = saturated_sum(total, counts)), ...);
  return total;
}
// The size of `count` elements.
constexpr std::size_t bytes_of(std::size_t count, std::size_t element_bytes) noexcept {
  return saturated_product(count, element_bytes);
}
// first + index, or the end of memory, where nothing can be; of no array none.
template <class T>
T* element_at(T* first, std::size_t index) noexcept {
  if (first == nullptr) return nullptr;
  return reinterpret_cast<T*>(
      saturated_sum(reinterpret_cast<std::uintptr_t>(first), bytes_of(index, sizeof(T))));
}

// Memory is out, or there is no room for another object.
struct NoMemory : std::bad_alloc {
  [[nodiscard]] const char* what() const noexcept override {
    return "no memory for an object in a region: free some, or raise the limit (ulimit -v)";
  }
};

// Memory of an object; see myr_alloc(), myr_alloc_blocks(). `block_bytes` 0: not in blocks.
inline void* allocate(std::size_t bytes, std::size_t block_bytes, myr_region region,
                      const void* site) {
  const auto* const where = static_cast<const myr_site*>(site);
#if defined(__cpp_exceptions)
  void* const object = myr_try_alloc_at(bytes, block_bytes, region, where);
  if (object == nullptr && bytes != 0) throw NoMemory();
  return object;
#else
  return block_bytes == 0 ? myr_alloc_at(bytes, region, where)
                          : myr_alloc_blocks_at(bytes, block_bytes, region, where);
#endif
}

// What build(memory) makes in an object's fresh memory; if that throws, the object is freed.
template <class Build>
auto* build_in(void* memory, const Build& build) {
#if defined(__cpp_exceptions)
  try {
    return build(memory);
  } catch (...) {
    myr_free_at(memory, nullptr);
    throw;
  }
#else
  return build(memory);
#endif
}
template <class T>
T* build_array(void* memory, std::size_t count) {
  return build_in(memory, [count](void* first) {
    std::uninitialized_value_construct_n(static_cast<T*>(first), count);
    return static_cast<T*>(first);
  });
}

}  // namespace myr::inline v0::detail
