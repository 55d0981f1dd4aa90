// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp: what reduce() combines with. The operations of <functional>, min_of and max_of,
// whose identities are known, and the user's own; on one value, or element by element on an array.
#pragma once

#include <myr/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <myr/holds.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

// Where <memory> brings the operations along, the rest of <functional> would be a quarter of the
// time that it takes to compile myr.hpp.
#if !defined(__GLIBCXX__)
#include <functional>
#endif

namespace myr::inline v0 {

namespace detail {

// A value with elements side by side that are its own: an array, or a container that has copies.
template <class T>
concept Elements = std::is_array_v<T> || requires(T& own, const T& fixed) {
  { own.size() } -> std::convertible_to<std::size_t>;
  requires std::is_same_v<decltype(own[0]), typename T::value_type&>;
  requires std::is_same_v<decltype(fixed[0]), const typename T::value_type&>;
};

}  // namespace detail

// The smaller and the greater one; if they are equal, the first. Pairs, such as {value, place},
// are compared in their order; arrays by their elements.
struct MinOf {
  template <class T>
    requires(!detail::Elements<T>)
  constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct MaxOf {
  template <class T>
    requires(!detail::Elements<T>)
  constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
inline constexpr MinOf min_of{};
inline constexpr MaxOf max_of{};

namespace detail {

// value(): what leaves every T as it is when combined with it, for operations of which it is known;
// others have none.
template <class Op, class T>
struct Identity {};
template <class Op, class T>
  requires requires(const Op& op) {
    { op.identity() } -> std::convertible_to<T>;
  }
struct Identity<Op, T> {
  static constexpr T value(const Op& op) { return op.identity(); }
};
template <class T>
struct Nothing {
  static constexpr T value(const auto&) { return T{}; }
};
template <class T, class U>
struct Identity<std::plus<U>, T> : Nothing<T> {};
template <class T, class U>
struct Identity<std::bit_or<U>, T> : Nothing<T> {};
template <class T, class U>
struct Identity<std::bit_xor<U>, T> : Nothing<T> {};
template <class T, class U>
struct Identity<std::logical_or<U>, T> : Nothing<T> {};
template <class T, class U>
struct Identity<std::multiplies<U>, T> {
  static constexpr T value(const auto&) { return T{1}; }
};
template <class T, class U>
struct Identity<std::logical_and<U>, T> {
  static constexpr T value(const auto&) { return T{1}; }
};
template <class T, class U>
struct Identity<std::bit_and<U>, T> {
  static constexpr T value(const auto&) { return static_cast<T>(~T{}); }
};

// The value than which no other is greater, or less.
template <class T>
struct Ends {};
template <class T>
  requires std::numeric_limits<T>::is_specialized
struct Ends<T> {
  using Limits = std::numeric_limits<T>;
  static constexpr T greatest() {
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  static constexpr T least() {
    return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
  }
};
template <class T, class U>
struct Ends<std::pair<T, U>> {
  static constexpr std::pair<T, U> greatest() { return {Ends<T>::greatest(), Ends<U>::greatest()}; }
  static constexpr std::pair<T, U> least() { return {Ends<T>::least(), Ends<U>::least()}; }
};
template <class T>
  requires requires { Ends<T>::greatest(); }
struct Identity<MinOf, T> {
  static constexpr T value(const auto&) { return Ends<T>::greatest(); }
};
template <class T>
  requires requires { Ends<T>::least(); }
struct Identity<MaxOf, T> {
  static constexpr T value(const auto&) { return Ends<T>::least(); }
};

// What an operation combines: the value as a whole, if it makes one of two, or else one element
// after the other.
template <class T>
struct Whole {
  using Unit = T;
  static constexpr bool is_whole = true;
};
template <class T>
struct ByElement {
  using Unit = std::remove_cvref_t<decltype(std::declval<T&>()[0])>;
  static constexpr bool is_whole = false;
};
template <class Op, class T>
concept GivesOne = std::is_same_v<std::remove_cvref_t<std::invoke_result_t<Op&, T&&, T&&>>, T>;
template <class T, class Op>
using Combined = std::conditional_t<Elements<T> && !GivesOne<Op, T>, ByElement<T>, Whole<T>>;
template <class T, class Op>
using UnitOf = typename Combined<T, Op>::Unit;
template <class T, class Op>
inline constexpr bool is_whole = Combined<T, Op>::is_whole;

template <class T>
constexpr std::size_t size_of(const T& elements) {
  if constexpr (std::is_array_v<T>) {
    return std::extent_v<T>;
  } else {
    return elements.size();
  }
}

// A value that begins as an operation's identity.
template <class T>
struct Own {
  T value;
};
template <class Op, class T>
Own<T> begin_with(const T& like, const UnitOf<T, Op>& identity) {
  if constexpr (is_whole<T, Op>) {
    return {identity};
  } else {
    // Others may be combining their elements with those of `like` meanwhile: only its size is read.
    [[maybe_unused]] const Glance glance;
    Own<T> own = [&like]() -> Own<T> {
      if constexpr (std::is_array_v<T> || TupleLike<T>) {
        return {};
      } else if constexpr (std::is_constructible_v<T, std::size_t>) {
        return {T(like.size())};
      } else {
        return {like};
      }
    }();
    for (auto& element : own.value) element = identity;
    return own;
  }
}

[[noreturn]] inline void throw_other_size(std::size_t own, std::size_t of_target) {
  throw std::length_error(
      "reduce() combines element by element, and the task's own container has " +
      std::to_string(own) + " elements, the variable " + std::to_string(of_target) +
      "; neither may change its size; to collect elements, give an operation that makes one "
      "container of two, and its identity");
}

// Containers that others may be naming meanwhile, by where they begin and end.
template <class T>
concept NamedByEnds = Contiguous<T> && !TupleLike<T> &&
                      requires(T& to, T& from) { *to.begin() = std::move(*from.begin()); };

// target = op(target, more), of values that are combined as a whole. A container that keeps its
// size is never empty meanwhile, and what it holds stays where it is: the spawner may name it again
// at any time.
template <class Op, class T, class More>
void combine_whole(Op&& op, T& target, More&& more) {
  if constexpr (NamedByEnds<T>) {
    if (target.size() != 0 && target.size() == more.size()) {
      T result = static_cast<T>(op(T(std::as_const(target)), std::forward<More>(more)));
      if (result.size() != target.size()) {
        target = std::move(result);
      } else {
        auto to = target.begin();
        for (auto& element : result) *to++ = std::move(element);
      }
      return;
    }
  }
  target = static_cast<T>(op(std::move(target), std::forward<More>(more)));
}

// target = op(target, more), of values or of their elements. Throws std::length_error where the two
// have different numbers of elements: then the task has changed the size of its own, or others that
// of the variable.
template <class Op, class T, class More>
void combine(Op&& op, T& target, More&& more) {
  if constexpr (is_whole<T, std::remove_cvref_t<Op>>) {
    combine_whole(op, target, std::forward<More>(more));
  } else {
    const std::size_t size = size_of(target);
    if (size_of(more) != size) throw_other_size(size_of(more), size);
    for (std::size_t i = 0; i < size; ++i) {
      target[i] = static_cast<UnitOf<T, std::remove_cvref_t<Op>>>(
          op(std::move(target[i]), std::move(more[i])));
    }
  }
}

}  // namespace detail

}  // namespace myr::inline v0
