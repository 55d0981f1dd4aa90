// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a task, as far as the compiler knows: a part of myr.hpp.
#pragma once

#include <myr/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <myr/attributes.hpp>
#include <myr/closure.hpp>
#include <type_traits>
#include <utility>

namespace myr::inline v0::detail {

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
} || (std::is_member_pointer_v<F> && std::is_invocable_v<F, P...>);

// What nobody would get is refused.
template <class F, class... P>
concept ReturnsNothing = requires(F&& function, P&&... passed) {
  { static_cast<F&&>(function)(static_cast<P&&>(passed)...) } -> std::same_as<void>;
} || (std::is_member_pointer_v<F> && std::is_void_v<std::invoke_result_t<F, P...>>);

// What is wrong with a task. spawn() has an overload with a text for each.
enum class Problem {
  None,
  Refused,  // an argument has been refused already
  Front,
  Part,
  Each,
  Reference,
  Accesses,
  Array,
  Copy,
  Align,
  Callable,
  Count,
  Constant,
  Value,
  Handle,
  Object,
  Pointer,
  Elements,
  Lost,
  Result,
  Type
};

// A value that only looks as if what it refers to were declared.
template <class A>
concept Refers = requires { ArgumentOf<A>::is_value; } && refers<std::decay_t<A>>();
template <class T>
concept HoldsAccesses =
    Contiguous<T> && is_access<std::remove_cvref_t<decltype(*std::declval<T&>().data())>>;

template <class A, class Passed, class Parameter>
constexpr Problem problem_of_argument() {
  using From = std::remove_cvref_t<Passed>;
  using To = std::remove_cvref_t<Parameter>;
  using Behind = std::remove_pointer_t<From>;
  using Wanted = std::remove_pointer_t<To>;
  if (std::is_convertible_v<Passed, Parameter>) return Problem::None;
  if (std::is_same_v<From, To>) {
    if (!is_access<A>) return Problem::Value;
    return std::is_reference_v<Passed> ? Problem::Constant : Problem::Handle;
  }
  const bool is_constant =
      std::is_const_v<std::remove_reference_t<Passed>> && std::is_convertible_v<From&, Parameter>;
  if (is_constant || std::is_same_v<typename ReadOnly<To>::Type, From>) return Problem::Constant;
  if (std::is_same_v<std::remove_cv_t<Behind>, To>) return Problem::Object;
  if (Contiguous<From> && std::is_pointer_v<To>) return Problem::Elements;
  if (std::is_same_v<From, std::remove_cv_t<Wanted>>) return Problem::Pointer;
  return std::is_same_v<std::remove_cv_t<Behind>, Wanted> ? Problem::Constant : Problem::Type;
}
template <class... A, class... P>
constexpr Problem problem_of_arguments(Parameters<P...>) {
  Problem first = Problem::None;
  [[maybe_unused]] const auto note = [&](Problem one) {
    first = first == Problem::None ? one : first;
  };
  (note(problem_of_argument<std::remove_cvref_t<A>, PassedFor<A>, P>()), ...);
  return first == Problem::None ? Problem::Type : first;
}

template <class Function>
constexpr auto parameters_of_function() {
  if constexpr (OneOperator<Function>) {
    return decltype(parameters_of(&Function::operator())){};
  } else {
    return decltype(parameters_of(std::declval<Function>())){};
  }
}

// Is it an object to write, of which the function takes a copy? A copy of a pointer or a view
// points to the same.
template <class A, class Passed>
inline constexpr bool is_to_write =
    (is_access<A> || is_reduction<A>) && std::is_lvalue_reference_v<Passed> &&
    !std::is_const_v<std::remove_reference_t<Passed>> &&
    !std::is_pointer_v<std::remove_reference_t<Passed>> && !refers<std::remove_cvref_t<Passed>>();
template <class... A, class... P>
constexpr bool loses_writes(Parameters<P...>) {
  if constexpr (sizeof...(A) == sizeof...(P)) {
    return (... || (std::is_same_v<P, std::remove_cvref_t<PassedFor<A>>> &&
                    is_to_write<std::remove_cvref_t<A>, PassedFor<A>>));
  } else {
    return false;
  }
}

template <class F, class... A>
constexpr Problem problem_of_call() {
  using Function = std::decay_t<F>;
  if constexpr (TakesAll<Function, PassedFor<A>...>) {
    if constexpr ((... || is_to_write<std::remove_cvref_t<A>, PassedFor<A>>)) {
      if constexpr (KnownFunction<Function>) {
        if (loses_writes<A...>(parameters_of_function<Function>())) return Problem::Lost;
      }
    }
    return Problem::None;
  } else if constexpr (!KnownFunction<Function>) {
    const bool may_be_function =
        (std::is_class_v<Function> && !is_access<Function> && !is_reduction<Function>) ||
        std::is_member_pointer_v<Function>;
    return may_be_function ? Problem::Type : Problem::Callable;
  } else {
    constexpr auto parameters = parameters_of_function<Function>();
    if constexpr (parameters.count != sizeof...(A)) {
      return Problem::Count;
    } else {
      return problem_of_arguments<A...>(parameters);
    }
  }
}

template <class A>
concept IsKept = std::is_constructible_v<typename ArgumentOf<A>::Stored,
                                         decltype(ArgumentOf<A>::store(std::declval<A>()))>;

// What stands before the function: attributes, then uses(...).
template <class T>
concept IsInFront = IsAttribute<T> || is_uses<T>;

template <class F, class... A>
constexpr Problem problem_of_task() {
  using Function = std::decay_t<F>;
  if constexpr ((... || std::is_same_v<std::remove_cvref_t<A>, Refused>)) {
    return Problem::Refused;
  } else if constexpr ((... || IsInFront<std::remove_cvref_t<A>>)) {
    return Problem::Front;
  } else if constexpr ((... || is_part_access<std::remove_cvref_t<A>>)) {
    return Problem::Part;
  } else if constexpr ((... || is_many_accesses<std::remove_cvref_t<A>>)) {
    return Problem::Each;
  } else if constexpr ((... || HoldsAccesses<std::decay_t<A>>)) {
    return Problem::Accesses;
  } else if constexpr ((... || Refers<A>)) {
    return Problem::Reference;
  } else if constexpr ((... || std::is_array_v<Kept<A>>)) {
    return Problem::Array;
  } else if constexpr (!(std::is_constructible_v<Function, F> && ... && IsKept<A>)) {
    return Problem::Copy;
  } else if constexpr (alignof(Closure<Function, Kept<A>...>) > 16) {
    return Problem::Align;
  } else {
    return problem_of_call<F, A...>();
  }
}

// What the function returns is looked at only if it can be called: the compiler would say why not.
template <class F, class... A>
constexpr Problem problem_of_spawn() {
  constexpr Problem problem = problem_of_task<F, A...>();
  if constexpr (problem == Problem::None) {
    if (!ReturnsNothing<std::decay_t<F>, PassedFor<A>...>) return Problem::Result;
  }
  return problem;
}

// What is wrong with the arguments of spawn().
template <class... A>
struct Task {
  static constexpr Problem kProblem = Problem::Callable;
};
template <class F, class... A>
struct Task<F, A...> {
  static constexpr Problem kProblem = problem_of_spawn<F, A...>();
};
template <class F, class... A>
  requires IsInFront<std::remove_cvref_t<F>>
struct Task<F, A...> : Task<A...> {};
template <class F, class Next, class... A>
  requires(is_uses<std::remove_cvref_t<F>> && IsInFront<std::remove_cvref_t<Next>>)
struct Task<F, Next, A...> {
  static constexpr Problem kProblem = Problem::Front;
};

template <class... A>
concept Right = Task<A...>::kProblem == Problem::None || Task<A...>::kProblem == Problem::Refused;
// For async(), which wants a result.
template <class... A>
concept RightForResult = Right<A...> || Task<A...>::kProblem == Problem::Result;
// None of them is an access that says where the task is spawned; they are so few that a parameter
// does.
template <class... A>
concept Unplaced =
    sizeof...(A) <= 3 &&
    !(... || (is_access<std::remove_cvref_t<A>> || is_reduction<std::remove_cvref_t<A>> ||
              is_uses<std::remove_cvref_t<A>>));
template <Problem kProblem, class... A>
concept Wrong = !Right<A...> && Task<A...>::kProblem == kProblem;

}  // namespace myr::inline v0::detail
