// SPDX-License-Identifier: Apache-2.0
//
// Part of loop.hpp: loops over the elements of what an access names, for_each(inout(v), body). They
// are loops over the elements' numbers with in(v, part) and the like, whose body is called with an
// element in place of the number and the view.
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <myr/access.hpp>
#include <myr/footprint.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr::inline v0::detail {

// What in(v) and the like name, if it has elements side by side; const for in().
template <class T>
  requires(Contiguous<T> || ValueArray<T>)
auto elements_named(const Reference<T>& named) noexcept {
  return elements_of(*named.pointer);
}
template <class T, std::size_t kCount>
ElementRange<T> elements_named(const Reference<T[kCount]>& named) noexcept {
  return {*named.pointer, kCount};
}
template <Contiguous V>
  requires View<V>
auto elements_named(V view) noexcept {
  return elements_of(view);
}
template <class A>
concept ElementAccess = requires(const std::remove_cvref_t<A>& access) {
  elements_named(access.passed);
  access.accesses[0];
};

template <class V>
inline constexpr bool is_array_view = false;
template <class T, bool kChecked>
inline constexpr bool is_array_view<ArrayView<T, kChecked>> = true;
template <class Body>
struct ElementBody {
  Body body;

  template <Integer I, class V, class... Passed>
    requires is_array_view<V> &&
             std::is_invocable_v<const Body&, decltype(std::declval<V&>()[0]), Passed...>
  decltype(auto) operator()(I number, V& view, Passed&&... passed) const {
    return body(view[number], static_cast<Passed&&>(passed)...);
  }
};

template <class A>
auto access_to_part(const A& access) noexcept {
  const auto all = elements_named(access.passed);
  using T = std::remove_pointer_t<decltype(all.first)>;
  const unsigned flags = access.accesses[0].flags;
  return PartAccess<ArrayFootprint<T, AnyMode>, IsOwner<std::remove_const_t<T>>::value>{
      {{flags}, part, all.count, all.first}, access.site};
}

// L: how many arguments stand in front of the accesses; the body is the last one.
template <class Run, class Space, class A, class Tuple, std::size_t... L, std::size_t... I>
void run_over_elements(const Run& run, const Space& space, std::size_t grain, const A& elements,
                       Tuple&& rest, std::index_sequence<L...>, std::index_sequence<I...>) {
  constexpr std::size_t kLast = sizeof...(L) + sizeof...(I);
  using Body = std::decay_t<std::tuple_element_t<kLast, Tuple>>;
  run(space, grain, std::get<L>(std::move(rest))..., elements,
      std::get<sizeof...(L) + I>(std::move(rest))...,
      ElementBody<Body>{std::get<kLast>(std::move(rest))});
}

}  // namespace myr::inline v0::detail
