// SPDX-License-Identifier: Apache-2.0
//
// The members of messages, one after the other: what measures, encodes and decodes them is written
// once, for kinds of members, and no message has a list of its members that could lack one.
// The compiler tells them by structured bindings, so messages are structs without constructors.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace myr::proto {

namespace detail {

// Stands for a value of any type, where nothing is evaluated.
struct Anything {
  template <class Type>
  operator Type() const noexcept;
};

// As many members as the struct can be initialised with, at most.
template <class Struct, class... Values>
consteval std::size_t field_count() {
  if constexpr (std::is_empty_v<Struct>) {
    return 0;
  } else if constexpr (requires { Struct{Values{}..., Anything{}}; }) {
    return field_count<Struct, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

}  // namespace detail

// A struct of members that anybody may name.
template <class Type>
concept Fields = std::is_aggregate_v<Type> && std::is_class_v<Type>;

template <Fields Struct>
inline constexpr std::size_t kFieldCount = detail::field_count<Struct>();

// Calls `visit` with each member, in their order. Static members are none.
template <class Struct, class Visit>
  requires Fields<std::remove_const_t<Struct>>
constexpr void visit_fields(Struct& fields, Visit&& visit) {
  constexpr std::size_t count = kFieldCount<std::remove_const_t<Struct>>;
  static_assert(count <= 13, "one case more below");
  const auto each = [&](auto&... field) { (visit(field), ...); };
  if constexpr (count == 1) {
    auto& [a] = fields;
    each(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = fields;
    each(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = fields;
    each(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = fields;
    each(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = fields;
    each(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = fields;
    each(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = fields;
    each(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = fields;
    each(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = fields;
    each(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = fields;
    each(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = fields;
    each(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = fields;
    each(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = fields;
    each(a, b, c, d, e, f, g, h, i, j, k, l, m);
  }
}

// What members may be, beside numbers, enumerations, SerialTime and structs of such members.
template <class Type>
concept List = requires(Type& list, typename Type::value_type value) {
  list.size();
  list.push_back(std::move(value));
};
template <class Type>
concept Pointer = requires(Type& pointer) {
  typename Type::element_type;
  pointer.get();
};

}  // namespace myr::proto
