// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp: reduce(), an argument of tasks and loops into which several of them combine what
// each has found.
//
// A task that reduces is two, if the machine likes (myr_submit_two_at()): its function, which uses
// a value of its own and not the variable; and behind it the combination, an inout() of the
// variable. So the graph orders combinations as it does all tasks: those of a variable run one
// after the other, in the order of their spawns, and between what is spawned before and behind
// them. The operation is code of a task like any other: it may wait, spawn and throw.
#pragma once

#include <myr/cxx20.hpp>

#include <memory>
#include <myr/myr.hpp>
#include <myr/operations.hpp>
#include <utility>

namespace myr::inline v0 {

namespace detail {

// Where a result goes, and how.
template <class T, class Op>
struct Combination {
  T* target;
  Op op;

  void add(T& result) { detail::combine(op, *target, std::move(result)); }
};

// One variable with what it holds, or the elements of one.
template <class T, class Op>
auto access_to_target(const Combination<T, Op>& into, const myr_site* site) noexcept {
  if constexpr (is_whole<T, Op>) {
    return access_to_object<MYR_INOUT>(*into.target, site);
  } else {
    T& elements = *into.target;
    const std::size_t size = size_of(elements);
    return make_range<MYR_INOUT>(size == 0 ? nullptr : std::addressof(elements[0]), size, site);
  }
}

template <class T, class Op>
struct Reduction {
  using Value = T;

  Combination<T, Op> into;
  Own<T> own;  // of this task alone
  const myr_site* site;
  bool in_order;
  bool has_result = false;  // the task's function has left one in `own`

  void combine() { into.add(own.value); }
};

template <class T, class Op>
struct Argument<Reduction<T, Op>> {
  using A = Reduction<T, Op>;
  using Stored = A;
  using Target = decltype(access_to_target(std::declval<const Combination<T, Op>&>(), nullptr));
  static constexpr std::size_t count(const A&) noexcept {
    return std::extent_v<decltype(Target::accesses)>;
  }
  static const myr_site* site(const A& a) noexcept { return a.site; }
  static void fill(const A& a, myr_access*& next) noexcept {
    auto access = access_to_target(a.into, a.site);
    if (!a.in_order) add_flags(access, MYR_COMMUTATIVE);
    ArgumentOf<decltype(access)>::fill(access, next);
  }
  template <class U>
  static U&& store(U&& value) noexcept {
    return std::forward<U>(value);
  }
  static T& pass(Stored& stored) noexcept { return stored.own.value; }
};

// Stands for an operation that is none.
struct Keep {
  template <class T>
  T operator()(T a, const T&) const {
    return a;
  }
};

template <class Op, class T>
concept CombinesOwn =
    !std::is_const_v<T> && std::is_invocable_r_v<UnitOf<T, Op>, Op&, UnitOf<T, Op>, UnitOf<T, Op>>;

template <class T, class Op>
auto make_reduction(T& x, Op op, const UnitOf<T, Op>& identity, bool in_order, const void* site) {
  static_assert(!std::is_const_v<T>, "reduce(x, op) changes x, which is const");
  static_assert(std::is_const_v<T> || CombinesOwn<Op, T>,
                "reduce(x, op): op(a, b) must take two values of x's type, or two of its elements, "
                "and give one");
  const auto* where = static_cast<const myr_site*>(site);
  if constexpr (CombinesOwn<Op, T>) {
    auto own = begin_with<Op>(x, identity);
    return Reduction<T, Op>{{std::addressof(x), std::move(op)}, std::move(own), where, in_order};
  } else {
    using Plain = std::remove_const_t<T>;
    return Reduction<Plain, Keep>{{const_cast<Plain*>(std::addressof(x)), {}}, {x}, where, true};
  }
}

// `auto`, so that it is looked into where reduce() is called, which compilers then name.
template <class Op, class T>
auto identity_of(const Op& op, const T& instead) {
  constexpr bool is_known = requires { Identity<Op, T>::value(op); };
  static_assert(is_known,
                "reduce(x, op): the identity of op is not known: write it as the third argument, "
                "or give op a member identity()");
  if constexpr (is_known) {
    return Identity<Op, T>::value(op);
  } else {
    return instead;
  }
}

struct AnyOrder {};

}  // namespace detail

// reduce(x, op, any_order): results are combined in any order.
inline constexpr detail::AnyOrder any_order{};

// The task's function receives a T of its own, initially the identity of op, and may run before x
// is free. What it leaves there is combined with x when that is the task's turn: x = op(x, own), in
// the order of the spawns; so x has in the end what the serial program gives it, to the last bit,
// and op need not be commutative. An exception of op or T is the task's failure. If the function
// throws, its value is dropped. The task's children must not use x.
//
// The identity is known for the operations of <functional>, min_of and max_of, and those with a
// member identity(); of others it is the third argument. If x is an array, or a container of the
// size that it keeps, and op combines elements, then they are combined one by one; the identity is
// that of an element.
// Cost: two tasks, where both cannot be called at once.
template <class T, class Op>
[[nodiscard]] auto reduce(T& x, Op op, detail::UnitOf<T, Op> identity,
                          const void* site = __builtin_source_location()) {
  return detail::make_reduction(x, std::move(op), identity, true, site);
}
template <class T, class Op>
[[nodiscard]] auto reduce(T& x, Op op, const void* site = __builtin_source_location()) {
  const auto identity = detail::identity_of(op, detail::UnitOf<T, Op>{});
  return detail::make_reduction(x, std::move(op), identity, true, site);
}
// The same, but results are combined in the order in which the machine likes.
template <class T, class Op>
[[nodiscard]] auto reduce(T& x, Op op, detail::UnitOf<T, Op> identity, detail::AnyOrder,
                          const void* site = __builtin_source_location()) {
  return detail::make_reduction(x, std::move(op), identity, false, site);
}
template <class T, class Op>
[[nodiscard]] auto reduce(T& x, Op op, detail::AnyOrder,
                          const void* site = __builtin_source_location()) {
  const auto identity = detail::identity_of(op, detail::UnitOf<T, Op>{});
  return detail::make_reduction(x, std::move(op), identity, false, site);
}

}  // namespace myr::inline v0
