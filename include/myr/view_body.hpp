// SPDX-License-Identifier: Apache-2.0
//
// Part of loop.hpp: bodies that take, behind the index, what the loop declares, in its order: a
// view for in(a, part), a T& for reduce(x, op), and for any other access what a task's function
// gets. Such a body becomes one of the other kind, which runs a part and has what it hands on.
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <myr/loop.hpp>
#include <myr/sanitized.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

namespace detail {

// Where the body gets an argument from: the access itself, what a task would keep of it, or the
// value of a reduction, which the one that runs the part brings along.
struct OwnValue {};
template <class A>
struct PassedOn {
  typename ArgumentOf<A>::Stored stored;
  decltype(auto) pass() const { return ArgumentOf<A>::pass(stored); }
};

template <class A, class R>
auto view_source(const A& argument, const R& all) {
  if constexpr (is_reduction<A>) {
    return std::tuple(OwnValue{});
  } else if constexpr (is_part_access<A>) {
    auto source = kept(argument, all);
    if constexpr (requires { source.footprint.view(all, source.site); }) {
      return std::tuple<decltype(source)>(std::move(source));
    } else {
      return std::tuple<>();  // of by_part()
    }
  } else if constexpr (is_access<A>) {
    return std::tuple(PassedOn<A>{ArgumentOf<A>::store(argument)});
  } else {
    return std::tuple<>();
  }
}

// How many values of reductions come before source I.
template <std::size_t I, class... Source>
constexpr std::size_t own_before = [] {
  constexpr bool is_own[] = {std::is_same_v<Source, OwnValue>..., false};
  std::size_t count = 0;
  for (std::size_t i = 0; i < I; ++i) count += is_own[i] ? 1 : 0;
  return count;
}();
// What the body gets from source I for this part.
template <std::size_t I, class R, class Own, class... Source>
decltype(auto) shown(const std::tuple<Source...>& all, const R& part, const Own& own) {
  using One = std::tuple_element_t<I, std::tuple<Source...>>;
  if constexpr (std::is_same_v<One, OwnValue>) {
    return (std::get<own_before<I, Source...>>(own));
  } else if constexpr (requires(const One& one) { one.footprint; }) {
    const One& source = std::get<I>(all);
    return source.footprint.view(part, source.site);
  } else {
    return std::get<I>(all).pass();
  }
}

template <class... Source>
class Sources {
 public:
  explicit Sources(std::tuple<Source...> all) : all_(std::move(all)) {}

  // Calls use(numbers..., what the body gets...) for each iteration, with views of the part, or,
  // if what iterations use is checked, the iteration's. `own`: the values of reductions.
  template <class R, class Use, class... Own>
  void go_through(const R& part, const Use& use, Own&... own) const {
    constexpr std::index_sequence_for<Source...> all;
    if constexpr (!is_checked) {
      show(part, use, all, own...);
    } else {
      for_numbers(part, [&]<class... I>(I... i) {
        show(R{IndexRange<I>{i, static_cast<I>(i + 1)}...}, use, all, own...);
      });
    }
  }

  // Whether the body can be called so.
  template <class Body, class R, class... Own>
  static constexpr bool fit() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return TakesNumbers<Body, R, Piece<I, R, Own...>...>::value;
    }(std::index_sequence_for<Source...>{});
  }

 private:
  template <std::size_t I, class R, class... Own>
  using Piece =
      decltype(shown<I>(std::declval<const std::tuple<Source...>&>(), std::declval<const R&>(),
                        std::declval<const std::tuple<Own&...>&>()));

  template <class R, class Use, std::size_t... I, class... Own>
  void show(const R& part, const Use& use, std::index_sequence<I...>, Own&... own) const {
    std::tuple<Piece<I, R, Own...>...> all{shown<I>(all_, part, std::tie(own...))...};
    for_numbers(part, use, std::get<I>(all)...);
  }

  std::tuple<Source...> all_;
};

template <class R, class... A>
auto sources_of(const R& all, const A&... arguments) {
  return Sources(std::tuple_cat(view_source(arguments, all)...));
}

// A body of for_each().
template <class Body, class All, class R>
struct ViewBody {
  Body body;
  All sources;

  template <class... Own>
  void operator()(const R& part, Own&... own) const {
    sources.go_through(part, body, own...);
  }
};
// One of reduce_each().
template <class Body, class All, class R, class Op>
struct ReducingViewBody {
  Body body;
  All sources;
  Op op;

  template <class T>
  void operator()(const R& part, T& own) const {
    sources.go_through(part, [this, &own](auto&&... shown) {
      combine(op, own, body(static_cast<decltype(shown)>(shown)...));
    });
  }
};

template <class A>
auto own_of(const A&) {
  if constexpr (is_reduction<A>) {
    return std::tuple<typename A::Value*>();
  } else {
    return std::tuple<>();
  }
}
template <class R, class... A>
using SourcesOf = decltype(sources_of(std::declval<const R&>(), std::declval<const A&>()...));
template <class Body, class R, class... A, class... Own>
constexpr bool wants_views(const std::tuple<Own*...>*) {
  if constexpr (takes_plainly<Body, R, Own...>) {
    return false;
  } else {
    return SourcesOf<R, A...>::template fit<Body, R, Own...>();
  }
}

template <class Body, class R, class... Own>
constexpr bool sees_cut_with(const std::tuple<Own*...>*) {
  return sees_cut<Body, R, Own...>;
}

// The body as it is, or, if it takes what the loop declares, one that hands it on.
template <class R, class Body, class... A>
auto with_views(const R& all, Body&& body, const A&... arguments) {
  using Code = std::decay_t<Body>;
  using Own = decltype(std::tuple_cat(own_of(arguments)...));
  if constexpr (wants_views<Code, R, A...>(static_cast<const Own*>(nullptr))) {
    return ViewBody<Code, SourcesOf<R, A...>, R>{std::forward<Body>(body),
                                                 sources_of(all, arguments...)};
  } else {
    if constexpr (sees_cut_with<Code, R>(static_cast<const Own*>(nullptr))) note_cut();
    return Code(std::forward<Body>(body));
  }
}
// The same for a sum.
template <class R, class Body, class Into, class... A>
auto with_views_into(const R& all, Body&& body, const Into& into, const A&... arguments) {
  return ReducingViewBody<std::decay_t<Body>, SourcesOf<R, A...>, R, decltype(into.into.op)>{
      std::forward<Body>(body), sources_of(all, arguments...), into.into.op};
}
template <class Body, class R, class... A>
constexpr bool wants_views_into() {
  return wants_views<Body, R, A...>(static_cast<const std::tuple<>*>(nullptr));
}

}  // namespace detail

}  // namespace myr::inline v0
