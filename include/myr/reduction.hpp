// SPDX-License-Identifier: Apache-2.0
//
// Of myr.hpp: reduce(), an argument of tasks and loops into which several of them combine what each
// has found.
//
// A task that reduces is two, if the machine likes (myr_submit_two_at()): its function, which uses
// a value of its own and not the variable; and behind it the combination, an inout() of the
// variable. So the graph orders combinations as it does all tasks: those of a variable run one
// after the other, in the order of their spawns, and between what is spawned before and behind
// them. The operation is code of a task like any other: it may wait, spawn and throw.
#pragma once

#include <myr/cxx20.hpp>

#include <functional>
#include <memory>
#include <myr/myr.hpp>
#include <utility>

namespace myr {

namespace detail {

// Where a result goes, and how.
template <class T, class Op>
struct Combination {
  T* target;
  Op op;

  void add(T& result) { *target = op(std::move(*target), std::move(result)); }
};

template <class T, class Op>
struct Reduction {
  using Value = T;

  Combination<T, Op> into;
  T value;  // of this task alone
  const myr_site* site;
  bool has_result = false;  // the task's function has left one in `value`

  void combine() { into.add(value); }
};

template <class T, class Op>
struct Argument<Reduction<T, Op>> {
  using A = Reduction<T, Op>;
  using Stored = A;
  static std::size_t count(const A&) noexcept { return 1; }
  static const myr_site* site(const A& a) noexcept { return a.site; }
  static void fill(const A& a, myr_access*& next) noexcept {
    *next++ = myr_make_access(a.into.target, sizeof(T), MYR_INOUT);
  }
  template <class U>
  static U&& store(U&& value) noexcept {
    return std::forward<U>(value);
  }
  static T& pass(Stored& stored) noexcept { return stored.value; }
};

// The identity element of the operations for which it is known.
template <class Op, class T>
struct Identity;
template <class T, class U>
struct Identity<std::plus<U>, T> {
  static constexpr T value() { return T{}; }
};
template <class T, class U>
struct Identity<std::multiplies<U>, T> {
  static constexpr T value() { return T{1}; }
};

}  // namespace detail

// The task's function receives a T of its own, initially `identity`, and may run before x is free.
// What it leaves there is combined with x when that is the task's turn: x = op(x, own), in the
// order of the spawns; so x has in the end what the serial program gives it, to the last bit, and
// op need not be commutative. What op or T throws is the task's failure. If the function throws,
// its value is dropped. The task's children must not use x.
// Cost: two tasks, where both cannot be called at once.
template <class T, class Op>
[[nodiscard]] auto reduce(T& x, Op op, T identity, const void* site = __builtin_source_location()) {
  return detail::Reduction<T, Op>{
      {std::addressof(x), std::move(op)}, std::move(identity), static_cast<const myr_site*>(site)};
}
// With std::plus or std::multiplies.
template <class T, class Op>
  requires requires { detail::Identity<Op, T>::value(); }
[[nodiscard]] auto reduce(T& x, Op op, const void* site = __builtin_source_location()) {
  return reduce(x, std::move(op), detail::Identity<Op, T>::value(), site);
}

}  // namespace myr
