// SPDX-License-Identifier: Apache-2.0
//
// Part of loop.hpp: what a loop goes over, the numbers of one range, or the pairs or triples of
// several; and `part`, which stands for some of them in an access.
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <iterator>
#include <myr/access.hpp>
#include <myr/memory.hpp>
#include <type_traits>

namespace myr::inline v0 {

// Numbers from..to-1 of one integer type; `for (auto i : range)` goes through them.
template <class I>
struct IndexRange {
  I from = 0;
  I to = 0;

  struct Iterator {
    I i;
    constexpr I operator*() const noexcept { return i; }
    constexpr Iterator& operator++() noexcept {
      ++i;
      return *this;
    }
    constexpr bool operator!=(Iterator other) const noexcept { return i != other.i; }
  };
  [[nodiscard]] constexpr Iterator begin() const noexcept { return {from}; }
  [[nodiscard]] constexpr Iterator end() const noexcept { return {to < from ? from : to}; }
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return to < from ? 0 : static_cast<std::size_t>(to) - static_cast<std::size_t>(from);
  }
  // To a type that has all these numbers.
  template <class J>
    requires(!std::is_same_v<I, J>) && requires(I i) { J{i}; }
  constexpr operator IndexRange<J>() const noexcept {
    return {from, to};
  }
};
using Range = IndexRange<std::size_t>;

// Pairs of a row and a column, and triples: for (auto i : rows) for (auto j : columns) ...
template <class... I>
struct Box;
template <class I, class J>
struct Box<I, J> {
  IndexRange<I> rows;
  IndexRange<J> columns;
};
template <class I, class J, class K>
struct Box<I, J, K> {
  IndexRange<I> planes;
  IndexRange<J> rows;
  IndexRange<K> columns;
};
using Range2 = Box<std::size_t, std::size_t>;
using Range3 = Box<std::size_t, std::size_t, std::size_t>;

namespace detail {

template <class I>
concept Integer = std::is_integral_v<I> && !std::is_same_v<std::remove_cv_t<I>, bool>;
// Every number of one has the same value as a To.
template <class From, class To>
concept FitsInto = requires(From number) { To{number}; };
// Integers whose common type has the numbers of both; else they are signed and unsigned.
template <class A, class B>
concept Akin = Integer<A> && Integer<B> && FitsInto<A, std::common_type_t<A, B>> &&
               FitsInto<B, std::common_type_t<A, B>>;
// A signed number beside an unsigned one, where compilers would warn of a comparison: it must be a
// constant and not below 0, as in range(0, v.size()).
void the_number_is_none_of_the_unsigned_type_beside_it();  // for the compiler's message
template <class U>
struct ConstantBesideUnsigned {
  U value;
  template <Integer N>
  consteval ConstantBesideUnsigned(N number) : value(static_cast<U>(number)) {
    const bool is_same = number >= 0 && static_cast<N>(value) == number;
    if (!is_same) the_number_is_none_of_the_unsigned_type_beside_it();
  }
};
template <class U>
using Constant = std::type_identity_t<ConstantBesideUnsigned<U>>;

template <class R>
inline constexpr std::size_t rank_of = 0;
template <class I>
inline constexpr std::size_t rank_of<IndexRange<I>> = 1;
template <class... I>
inline constexpr std::size_t rank_of<Box<I...>> = sizeof...(I);
template <class R>
concept Numbers = rank_of<std::remove_cvref_t<R>> != 0;

// One of the ranges that make up a box.
template <std::size_t D, class I>
constexpr const IndexRange<I>& side(const IndexRange<I>& range) noexcept {
  static_assert(D == 0);
  return range;
}
template <std::size_t D, class... I>
constexpr const auto& side(const Box<I...>& box) noexcept {
  if constexpr (D + 1 == sizeof...(I)) {
    return box.columns;
  } else if constexpr (D + 2 == sizeof...(I)) {
    return box.rows;
  } else {
    return box.planes;
  }
}
// The next range of a loop.
template <class I, class J>
constexpr Box<I, J> joined(const IndexRange<I>& rows, const IndexRange<J>& columns) noexcept {
  return {rows, columns};
}
template <class I, class J, class K>
constexpr Box<I, J, K> joined(const Box<I, J>& first, const IndexRange<K>& columns) noexcept {
  return {first.rows, first.columns, columns};
}

// Calls use(numbers..., more...) for each of the range or the box, the last number first.
template <class I, class Use, class... More>
constexpr void for_numbers(const IndexRange<I>& range, const Use& use, More&... more) {
  for (I i = range.from; i < range.to; ++i) use(I{i}, more...);
}
template <class I, class J, class Use, class... More>
constexpr void for_numbers(const Box<I, J>& box, const Use& use, More&... more) {
  for (I i = box.rows.from; i < box.rows.to; ++i) {
    for (J j = box.columns.from; j < box.columns.to; ++j) use(I{i}, J{j}, more...);
  }
}
template <class I, class J, class K, class Use, class... More>
constexpr void for_numbers(const Box<I, J, K>& box, const Use& use, More&... more) {
  for (I i = box.planes.from; i < box.planes.to; ++i) {
    for (J j = box.rows.from; j < box.rows.to; ++j) {
      for (K k = box.columns.from; k < box.columns.to; ++k) use(I{i}, J{j}, K{k}, more...);
    }
  }
}

// The place of `number`, moved so many on and back, within 0..size.
template <class I>
constexpr std::size_t place_of(I number, std::size_t on, std::size_t back,
                               std::size_t size) noexcept {
  auto place = static_cast<std::size_t>(number);
  if (number < 0) {
    back = saturated_sum(back, 0 - place);
    place = 0;
  }
  place = on < back ? saturated_difference(place, back - on) : saturated_sum(place, on - back);
  return place < size ? place : size;
}

}  // namespace detail

// The numbers from `from` to `to` - 1. The loop's body gets them in the type that both have in
// common.
template <class From, class To>
  requires detail::Akin<From, To>
[[nodiscard]] constexpr auto range(From from, To to) noexcept {
  return IndexRange<std::common_type_t<From, To>>{from, to};
}
template <detail::Integer To>
  requires std::is_unsigned_v<To>
[[nodiscard]] constexpr IndexRange<To> range(detail::Constant<To> from, To to) noexcept {
  return {from.value, to};
}
template <detail::Integer From>
  requires std::is_unsigned_v<From>
[[nodiscard]] constexpr IndexRange<From> range(From from, detail::Constant<From> to) noexcept {
  return {from, to.value};
}
template <detail::Integer To>
[[nodiscard]] constexpr IndexRange<To> range(To to) noexcept {
  return {0, to};
}

// In place of the numbers of a part of the loop, in its accesses: `part`, `part.grow(1)`.
struct Part {
  std::size_t before = 0;
  std::size_t after = 0;
  // Grows by so many on each side, or on one; for a matrix in each of its directions.
  [[nodiscard]] constexpr Part grow(std::size_t both) const noexcept { return grow(both, both); }
  [[nodiscard]] constexpr Part grow(std::size_t more_before,
                                    std::size_t more_after) const noexcept {
    return {detail::saturated_sum(before, more_before), detail::saturated_sum(after, more_after)};
  }
  // The places of the grown numbers, within 0..size; number 0 is at place `on`, or `back` before
  // the first.
  template <class I = std::size_t>
  [[nodiscard]] constexpr Range of(const IndexRange<I>& some, std::size_t size, std::size_t on = 0,
                                   std::size_t back = 0) const noexcept {
    return {detail::place_of(some.from, on, detail::saturated_sum(back, before), size),
            detail::place_of(some.to, detail::saturated_sum(on, after), back, size)};
  }
};
inline constexpr Part part{};
// Everything in this direction.
inline constexpr Part whole{~std::size_t{0}, ~std::size_t{0}};

// One for each direction of a matrix or a cube: parts(part.grow(1), whole).
template <std::size_t N>
struct Parts {
  Part directions[N];
};
template <class... P>
  requires(sizeof...(P) > 1 && (... && std::is_same_v<P, Part>))
[[nodiscard]] constexpr Parts<sizeof...(P)> parts(P... directions) noexcept {
  return {{directions...}};
}

}  // namespace myr::inline v0
