// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp: the members of a structure, as far as the language lets others see them: of an
// aggregate without bases and unions, with up to 16 members.
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace myr::inline v0::detail {

// Becomes any member of T, where it need not be evaluated.
template <class T>
struct AnyMember {
  template <class M>
    requires(!std::is_base_of_v<M, T>)
  operator M() const {
    __builtin_unreachable();
  }
};
// Becomes any base of T.
template <class T>
struct AnyBase {
  template <class B>
    requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>)
  operator B() const {
    __builtin_unreachable();
  }
};
template <class T>
inline constexpr bool has_base = requires { T{AnyBase<T>{}}; };

struct NoMember {};
// Becomes any union.
struct AnyUnion {
  template <class U>
    requires std::is_union_v<U>
  operator U() const {
    __builtin_unreachable();
  }
};

template <class T, std::size_t>
using AnyMemberAt = AnyMember<T>;
// Any element of a member; no std::allocator_arg or the like, which would ask for constructors that
// are none of the member's elements.
template <class T, std::size_t>
struct AnyElementAt {
  template <class M>
    requires(!std::is_base_of_v<M, T> && !std::is_empty_v<M>)
  operator M() const {
    __builtin_unreachable();
  }
};

template <class T, class Before, class Inside, class After>
inline constexpr bool is_made_by = false;
template <class T, std::size_t... b, std::size_t... i, std::size_t... a>
  requires requires {
    T{AnyMemberAt<T, b>{}..., {AnyElementAt<T, i>{}...}, AnyMemberAt<T, a>{}...};
  }
inline constexpr bool
    is_made_by<T, std::index_sequence<b...>, std::index_sequence<i...>, std::index_sequence<a...>> =
        true;
template <class T, class Values>
inline constexpr bool is_made_of = false;
template <class T, std::size_t... i>
  requires requires { T{AnyMemberAt<T, i>{}...}; }
inline constexpr bool is_made_of<T, std::index_sequence<i...>> = true;

// Does a value of that type come behind those?
template <class T, class Value, class Before>
inline constexpr bool comes_behind = false;
template <class T, class Value, std::size_t... b>
  requires requires { T{AnyMemberAt<T, b>{}..., Value{}}; }
inline constexpr bool comes_behind<T, Value, std::index_sequence<b...>> = true;

inline constexpr std::size_t kMembersMost = 16;
inline constexpr std::size_t kValuesMost = 64;

// How many values T takes at most, each element of an array by itself.
template <class T, std::size_t kCount = 0>
constexpr std::size_t value_count() noexcept {
  if constexpr (kCount > kValuesMost) {
    return 0;
  } else if constexpr (is_made_of<T, std::make_index_sequence<kCount>> &&
                       !is_made_of<T, std::make_index_sequence<kCount + 1>>) {
    return kCount;
  } else {
    return value_count<T, kCount + 1>();
  }
}
// Is one of the members a union, perhaps without a name? Such members nobody can list. What takes
// any value is none.
template <class T>
inline constexpr bool has_union = []<std::size_t... i>(std::index_sequence<i...>) {
  return (... || (comes_behind<T, AnyUnion, std::make_index_sequence<i>> &&
                  !comes_behind<T, NoMember, std::make_index_sequence<i>>));
}(std::make_index_sequence<value_count<T>()>());
// How many of them the member takes that begins with value kFirst: several, if it is an array.
template <class T, std::size_t kFirst, std::size_t kSize, std::size_t kBehind>
constexpr std::size_t size_of_member() noexcept {
  if constexpr (kSize < 2) {
    return 1;
  } else if constexpr (is_made_by<T, std::make_index_sequence<kFirst>,
                                  std::make_index_sequence<kSize>,
                                  std::make_index_sequence<kBehind>> &&
                       !is_made_by<T, std::make_index_sequence<kFirst>,
                                   std::make_index_sequence<kSize>,
                                   std::make_index_sequence<kBehind + 1>>) {
    return kSize;
  } else {
    return size_of_member<T, kFirst, kSize - 1, kBehind + 1>();
  }
}
template <class T, std::size_t kFirst = 0>
constexpr std::size_t member_count() noexcept {
  constexpr std::size_t kValues = value_count<T>();
  if constexpr (kFirst >= kValues) {
    return 0;
  } else {
    return 1 + member_count<T, kFirst + size_of_member<T, kFirst, kValues - kFirst, 0>()>();
  }
}

// Calls visit(members...), which it hands on as const.
template <class T, class Visit>
constexpr decltype(auto) with_members(const T& x, Visit&& visit) {
  constexpr std::size_t kCount = member_count<T>();
  if constexpr (kCount == 1) {
    const auto& [a] = x;
    return visit(a);
  } else if constexpr (kCount == 2) {
    const auto& [a, b] = x;
    return visit(a, b);
  } else if constexpr (kCount == 3) {
    const auto& [a, b, c] = x;
    return visit(a, b, c);
  } else if constexpr (kCount == 4) {
    const auto& [a, b, c, d] = x;
    return visit(a, b, c, d);
  } else if constexpr (kCount == 5) {
    const auto& [a, b, c, d, e] = x;
    return visit(a, b, c, d, e);
  } else if constexpr (kCount == 6) {
    const auto& [a, b, c, d, e, f] = x;
    return visit(a, b, c, d, e, f);
  } else if constexpr (kCount == 7) {
    const auto& [a, b, c, d, e, f, g] = x;
    return visit(a, b, c, d, e, f, g);
  } else if constexpr (kCount == 8) {
    const auto& [a, b, c, d, e, f, g, h] = x;
    return visit(a, b, c, d, e, f, g, h);
  } else if constexpr (kCount == 9) {
    const auto& [a, b, c, d, e, f, g, h, i] = x;
    return visit(a, b, c, d, e, f, g, h, i);
  } else if constexpr (kCount == 10) {
    const auto& [a, b, c, d, e, f, g, h, i, j] = x;
    return visit(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (kCount == 11) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (kCount == 12) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (kCount == 13) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (kCount == 14) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (kCount == 15) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (kCount == 16) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}

}  // namespace myr::inline v0::detail
