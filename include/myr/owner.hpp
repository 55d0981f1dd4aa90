// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp and pragma.hpp: which objects are more than their bytes. C++14, as pragma.hpp.
#pragma once

#include <type_traits>

namespace myr {
inline namespace v0 {
namespace detail {

template <class T>
struct IsObject
    : std::integral_constant<bool, !std::is_void<T>::value && !std::is_function<T>::value> {};

// May an object of the type own others, such as a std::vector, or point to tables of the program's,
// as those do that have virtual functions or bases, or members that have? In another process its
// bytes would point at nothing. The language cannot tell of virtual bases, or of a member's
// functions; but a type that has them is of no standard layout, and its bytes alone are no copy.
template <class T, class = void>
struct IsOwner : std::false_type {};  // of an incomplete type nobody knows
template <class T>
struct IsOwner<T, std::enable_if_t<IsObject<T>::value && sizeof(T) != 0>> {
  using Element = std::remove_all_extents_t<T>;
  static constexpr bool value = !std::is_trivially_destructible<Element>::value ||
                                (!std::is_standard_layout<Element>::value &&
                                 !std::is_trivially_copy_constructible<Element>::value);
};

}  // namespace detail
}  // namespace v0
}  // namespace myr
