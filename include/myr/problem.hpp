// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a task, as far as the compiler knows: a part of myr.hpp.
#pragma once

#include <myr/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <myr/closure.hpp>
#include <type_traits>
#include <utility>

namespace myr::detail {

// What the function receives for an argument of spawn().
template <class A>
using PassedFor = decltype(ArgumentOf<A>::pass(std::declval<typename ArgumentOf<A>::Stored&>()));
// The parameters of a function, or of an object with one operator().
template <class... P>
struct Parameters {
  static constexpr std::size_t count = sizeof...(P);
};
template <class R, class... P>
Parameters<P...> parameters_of(R (*)(P...));
template <class R, class C, class... P>
Parameters<P...> parameters_of(R (C::*)(P...));
template <class R, class C, class... P>
Parameters<P...> parameters_of(R (C::*)(P...) const);
template <class F>
concept OneOperator = requires { parameters_of(&F::operator()); };
template <class F>
concept KnownFunction = OneOperator<F> || requires(F f) { parameters_of(f); };

template <class F, class... P>
concept TakesAll = requires(F&& function, P&&... passed) {
  static_cast<F&&>(function)(static_cast<P&&>(passed)...);
};

template <class F, class... P>
concept ReturnsNothing = requires(F&& function, P&&... passed) {
  { static_cast<F&&>(function)(static_cast<P&&>(passed)...) } -> std::same_as<void>;
};

// What is wrong with a task, for the messages of spawn().
enum class Problem {
  None,
  Part,
  Copy,
  Align,
  Callable,
  Count,
  Constant,
  Value,
  Variable,
  Object,
  Pointer,
  Type
};

template <class A, class Passed, class Parameter>
constexpr Problem problem_of_argument() {
  using From = std::remove_cvref_t<Passed>;
  using To = std::remove_cvref_t<Parameter>;
  using Behind = std::remove_pointer_t<From>;
  using Wanted = std::remove_pointer_t<To>;
  if (std::is_convertible_v<Passed, Parameter>) return Problem::None;
  if (std::is_same_v<From, To> && is_access<A> && std::is_pointer_v<To>) return Problem::Variable;
  if (std::is_same_v<From, To>) return is_access<A> ? Problem::Constant : Problem::Value;
  if (std::is_same_v<std::remove_cv_t<Behind>, To>) return Problem::Object;
  if (std::is_same_v<From, std::remove_cv_t<Wanted>>) return Problem::Pointer;
  return std::is_same_v<std::remove_cv_t<Behind>, Wanted> ? Problem::Constant : Problem::Type;
}
template <class... A, class... P>
constexpr Problem problem_of_arguments(Parameters<P...>) {
  Problem first = Problem::None;
  const auto note = [&](Problem one) { first = first == Problem::None ? one : first; };
  (note(problem_of_argument<std::remove_cvref_t<A>, PassedFor<A>, P>()), ...);
  return first == Problem::None ? Problem::Type : first;
}

template <class F, class... A>
constexpr Problem problem_of_task() {
  using Function = std::decay_t<F>;
  constexpr bool copies =
      std::is_constructible_v<Function, F> &&
      (... && std::is_constructible_v<typename ArgumentOf<A>::Stored,
                                      decltype(ArgumentOf<A>::store(std::declval<A>()))>);
  if constexpr ((... || is_part_access<std::remove_cvref_t<A>>)) {
    return Problem::Part;
  } else if constexpr (!copies) {
    return Problem::Copy;
  } else if constexpr (alignof(Closure<Function, std::remove_cvref_t<A>...>) > 16) {
    return Problem::Align;
  } else if constexpr (TakesAll<Function, PassedFor<A>...>) {
    return Problem::None;
  } else if constexpr (!KnownFunction<Function>) {
    return std::is_class_v<Function> ? Problem::Type : Problem::Callable;
  } else {
    const auto parameters = [] {
      if constexpr (OneOperator<Function>) {
        return decltype(parameters_of(&Function::operator())){};
      } else {
        return decltype(parameters_of(std::declval<Function>())){};
      }
    }();
    if constexpr (parameters.count != sizeof...(A)) {
      return Problem::Count;
    } else {
      return problem_of_arguments<A...>(parameters);
    }
  }
}

}  // namespace myr::detail
