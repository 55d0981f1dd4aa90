// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp: each(v), what the elements of v stand for, one by one.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <cstddef>
#include <memory>
#include <myr/holds.hpp>
#include <myr/memory.hpp>
#include <myr/region.hpp>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

namespace detail {

// Objects that belong to iterations `first`, `first` + 1, ...; all in one region.
template <class T>
struct EachIn {
  T* pointers;
  std::size_t size;
  myr_region region;
  std::ptrdiff_t first;
  [[nodiscard]] constexpr EachIn at(std::ptrdiff_t iteration) const noexcept {
    return {pointers, size, region, iteration};
  }
};
template <class T>
struct Each {
  T* pointers;
  std::size_t size;
  [[nodiscard]] EachIn<T> inside(Region region) const noexcept {
    return {pointers, size, region.id(), 0};
  }
};

template <class T>
inline constexpr bool is_each = false;
template <class T>
inline constexpr bool is_each<Each<T>> = true;
template <class T>
inline constexpr bool is_each_in = false;
template <class T>
inline constexpr bool is_each_in<EachIn<T>> = true;

}  // namespace detail

// For in(each(v), part) in a loop, of pointers and regions: the objects that the elements of v
// point to, or the regions that they are. For in(each(v)) in uses() and wait(): what in(element)
// names, of elements of any type.
template <class Pointers>
[[nodiscard]] auto each(Pointers& pointers) noexcept {
  using T = std::remove_pointer_t<decltype(pointers.data())>;
  return detail::Each<const T>{pointers.data(), pointers.size()};
}
template <class T>
[[nodiscard]] auto each(T* pointers, std::size_t count) noexcept {
  return detail::Each<const T>{pointers, count};
}

}  // namespace myr::inline v0
