// SPDX-License-Identifier: Apache-2.0
//
// spawn(), of myr.hpp: a closure with its accesses becomes a task.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/frontend.h>

#include <cstddef>
#include <myr/access.hpp>
#include <myr/attributes.hpp>
#include <myr/closure.hpp>
#include <myr/memory.hpp>
#include <myr/problem.hpp>
#include <myr/refused.hpp>
#include <myr/saved_closure.hpp>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

namespace detail {

// More accesses than any memory has room for are refused.
constexpr bool is_sized(std::size_t access_count) noexcept { return access_count >> 31 == 0; }

// In place of a task whose closure could not be built: one that uses nothing and does nothing.
inline void submit_nothing(const myr_draft& draft, std::size_t count, const myr_site* site) {
  for (std::size_t i = 0; i < count; ++i) draft.accesses[i] = myr_pointer(nullptr);
  myr_draft_keep_here(draft);
  myr_submit_at(draft, [](void*, const myr_access*) {}, site);
}

// For the task behind this one, which combines.
template <class A>
constexpr std::size_t last_count_of(const A& argument) noexcept {
  return is_reduction<A> ? Argument<A>::count(argument) : 0;
}

// Makes a closure in the draft. If a copy or a move of the user's throws, the draft becomes no
// task.
template <class Task, class F, class... A>
void build_closure(const myr_draft& draft, std::size_t count, const myr_site* site, F&& function,
                   A&&... arguments) {
  const auto build = [&] {
    ::new (draft.closure)
        Task{std::forward<F>(function), {ArgumentOf<A>::store(std::forward<A>(arguments))...}};
  };
#if defined(__cpp_exceptions)
  if constexpr (!Task::is_all_bytes || !std::is_nothrow_move_constructible_v<Task>) {
    try {
      build();
    } catch (...) {
      submit_nothing(draft, count, site);
      throw;
    }
    return;
  }
#endif
  build();
}

struct SpawnTask {
  template <class U, class F, class... A>
  void operator()(How how, const U& uses, F&& function, A&&... arguments) const {
    using Task = Closure<std::decay_t<F>, Kept<A>...>;
    const std::size_t count =
        saturated_total(Argument<U>::count(uses), ArgumentOf<A>::count(arguments)...);
    const myr_site* site = first_site(Argument<U>::site(uses), ArgumentOf<A>::site(arguments)...);
    if (!is_sized(count)) myr_spawn_at(nullptr, nullptr, count, site);  // says so
    const myr_draft draft = myr_draft_new_at(sizeof(Task), count, site);
    [[maybe_unused]] myr_access* next = draft.accesses;
    Argument<U>::fill(uses, next);
    if constexpr (Task::kReduces) {  // what reduces comes last
      (fill_some<false>(arguments, next), ...);
      (fill_some<true>(arguments, next), ...);
    } else {
      (ArgumentOf<A>::fill(arguments, next), ...);
    }
    build_closure<Task>(draft, count, site, std::forward<F>(function),
                        std::forward<A>(arguments)...);
    if (how.priority > 0) myr_draft_priority(draft, how.priority);
    if constexpr ((names_owners<U> || ... || names_owners<std::remove_cvref_t<A>>) ||
                  !Task::is_saved) {
      myr_draft_keep_here(draft);
    } else if constexpr (!Task::is_all_bytes) {
      myr_draft_save(draft, &SavedClosure<Task>::kind);
    }
    submit<Task>(how, draft, saturated_total(last_count_of<Kept<A>>(arguments)...), site);
  }

 private:
  template <class Task>
  static void submit(How how, const myr_draft& draft, std::size_t last_count,
                     const myr_site* site) {
    if constexpr (Task::kReduces) {
      const auto call = how.is_later ? myr_submit_later_at : myr_submit_two_at;
      call(draft, &Task::kInTwo, last_count, site);
    } else if (how.is_later) {
      myr_submit_later_at(draft, &Task::kInOne, 0, site);
    } else {
      myr_submit_at(draft, &Task::run, site);
    }
  }
};

// An access in uses() whose memory may have failed to come about: guard_of(access).check(), in the
// task, throws why.
template <class A>
concept Guarding = requires(const A& access) { guard_of(access); };
template <class First>
inline constexpr bool has_guards = false;
template <class... U>
inline constexpr bool has_guards<Uses<U...>> = (... || Guarding<U>);
template <class A>
auto guards_of(const A& access) {
  if constexpr (Guarding<A>) {
    return std::tuple(guard_of(access));
  } else {
    return std::tuple<>();
  }
}
// A task's function, which is not called then.
template <class F, class... Guard>
struct Guarded {
  F function;
  std::tuple<Guard...> guards;

  template <class... P>
  decltype(auto) operator()(P&&... passed) {
    std::apply([](const Guard&... guard) { (guard.check(), ...); }, guards);
    return call_with(std::move(function), static_cast<P&&>(passed)...);
  }
};
template <class F, class... Guard>
Guarded<std::decay_t<F>, Guard...> behind_guards(F&& function, std::tuple<Guard...> guards) {
  return {std::forward<F>(function), std::move(guards)};
}
template <class Make, class... U, class F, class... A>
decltype(auto) make_guarded(const Make& make, How how, const Uses<U...>& uses, F&& function,
                            A&&... arguments) {
  return make(
      how, uses,
      behind_guards(std::forward<F>(function),
                    std::apply([](const U&... one) { return std::tuple_cat(guards_of(one)...); },
                               uses.accesses)),
      std::forward<A>(arguments)...);
}

// Takes the place of uses() and tells where a task is spawned none of whose accesses say so.
struct Here {
  explicit Here(const void* at) noexcept : site(static_cast<const myr_site*>(at)) {}
  const myr_site* site;
};
template <>
struct Argument<Here> {
  static constexpr std::size_t count(const Here&) noexcept { return 0; }
  static const myr_site* site(const Here& here) noexcept { return here.site; }
  static void fill(const Here&, myr_access*&) noexcept {}
};

// Calls make(how, uses, function, arguments...) for the arguments of spawn(); `none` stands for
// uses() if there is none.
template <class Make, class None, class First, class... A>
[[gnu::always_inline]] inline decltype(auto) make_task(const Make& make, const None& none, How how,
                                                       First&& first, A&&... arguments) {
  if constexpr (IsAttribute<std::remove_cvref_t<First>>) {
    return make_task(make, none, with(how, first), std::forward<A>(arguments)...);
  } else if constexpr (has_guards<std::remove_cvref_t<First>>) {
    return make_guarded(make, how, first, std::forward<A>(arguments)...);
  } else if constexpr (is_uses<std::remove_cvref_t<First>>) {
    return make(how, first, std::forward<A>(arguments)...);
  } else {
    return make(how, none, std::forward<First>(first), std::forward<A>(arguments)...);
  }
}

}  // namespace detail

// Spawns function(arguments...) as a task. Before the function may stand attributes, priority(n)
// and later, and then uses(...). The closure is destroyed after it ran, on the worker that ran it.
// Cost: one closure constructed in the task; no heap allocation up to a few hundred bytes.
template <class First, class... A>
  requires(detail::Right<First, A...> && !detail::Unplaced<First, A...>)
[[gnu::always_inline]] inline void spawn(First&& first, A&&... arguments) {
  if constexpr (detail::Task<First, A...>::kProblem != detail::Problem::Refused) {
    detail::make_task(detail::SpawnTask(), detail::Uses<>(), detail::How(),
                      std::forward<First>(first), std::forward<A>(arguments)...);
  }
}
// The same without accesses: so that messages know the line.
template <class F>
  requires(detail::Unplaced<F> && detail::Right<F>)
[[gnu::always_inline]] inline void spawn(
    F&& function, detail::Here here = detail::Here(__builtin_source_location())) {
  detail::make_task(detail::SpawnTask(), here, detail::How(), std::forward<F>(function));
}
template <class F, class A>
  requires(detail::Unplaced<F, A> && detail::Right<F, A>)
[[gnu::always_inline]] inline void spawn(
    F&& first, A&& second, detail::Here here = detail::Here(__builtin_source_location())) {
  detail::make_task(detail::SpawnTask(), here, detail::How(), std::forward<F>(first),
                    std::forward<A>(second));
}
template <class F, class A, class B>
  requires(detail::Unplaced<F, A, B> && detail::Right<F, A, B>)
[[gnu::always_inline]] inline void spawn(
    F&& first, A&& second, B&& third,
    detail::Here here = detail::Here(__builtin_source_location())) {
  detail::make_task(detail::SpawnTask(), here, detail::How(), std::forward<F>(first),
                    std::forward<A>(second), std::forward<B>(third));
}

// Wrong tasks.
template <class... A>
  requires detail::Wrong<detail::Problem::Front, A...>
MYR_REFUSED(
    "attributes and uses(...) come first, in this order: spawn(priority(n), uses(...), f, ...)")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Part, A...>
MYR_REFUSED("accesses with `part` are for loops: for_each() and reduce_each()")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Each, A...>
MYR_REFUSED(
    "each(v) stands for many objects, and hands nothing on: write spawn(uses(in(each(v))), f, "
    "...)")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Accesses, A...>
MYR_REFUSED(
    "a container of accesses is a value, and orders nothing: for as many as the run wants write "
    "spawn(uses(in(each(v))), f, ...)")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Reference, A...>
MYR_REFUSED(
    "a task gets a reference, an iterator, a span, a future or the like, perhaps in a structure, "
    "and does not declare it: write in(x), out(x) or inout(x), or unchecked(x) if something else "
    "orders the task")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Array, A...>
MYR_REFUSED("an array is no value: write in(x), out(x) or inout(x), or a std::array for a copy")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Copy, A...>
MYR_REFUSED(
    "a task gets a copy of its function and of arguments without in(), out() or inout(), and one "
    "of these cannot be copied: write std::move(x), or an access")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Align, A...>
MYR_REFUSED("what a task gets a copy of can be aligned to 16 bytes at most: write in(x)")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Callable, A...>
MYR_REFUSED("the first argument of spawn() must be a function: spawn(f, in(x), ...)")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Count, A...>
MYR_REFUSED(
    "the task's function takes more or fewer arguments than spawn() has behind it; accesses for "
    "which it takes none go into uses(...), before it")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Constant, A...>
MYR_REFUSED(
    "the task's function wants to change what in() only lets it read, or what is const: write "
    "inout(x) or out(x), or let it take const T&, const T* or a view of const")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Value, A...>
MYR_REFUSED(
    "the task's function wants to change an argument of which the task has a copy: write inout(x) "
    "or out(x)")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Handle, A...>
MYR_REFUSED(
    "the task's function takes a handle by reference, but gets a copy: let it take the Region, the "
    "pointer, the view or the tile by value, or write inout(object(x)) for the variable itself")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Object, A...>
MYR_REFUSED(
    "the task's function takes an object, but gets a pointer: in(p), out(p) and inout(p) of a "
    "pointer hand on the pointer; write in(*p), or let it take a pointer")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Pointer, A...>
MYR_REFUSED(
    "the task's function takes a pointer, but gets an object: in(x), out(x) and inout(x) hand on x "
    "itself; let it take a reference")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Elements, A...>
MYR_REFUSED(
    "the task's function takes a pointer to elements, but gets the container: let it take a "
    "std::span, or write in(v.data(), v.size())")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Lost, A...>
MYR_REFUSED(
    "the task's function takes by value what out(), inout() or reduce() names, so what it writes "
    "would be lost: let it take T&, or write in(x)")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Result, A...>
MYR_REFUSED(
    "the task's function returns something, which nobody would get: write async() in place of "
    "spawn(), or let it return nothing")
void spawn(A&&...) {}
template <class... A>
  requires detail::Wrong<detail::Problem::Type, A...>
MYR_REFUSED(
    "the task's function cannot take what spawn() hands on: for in(x) const T&, for out(x) and "
    "inout(x) T&, for in(p) of a pointer const T*, else a value")
void spawn(A&&...) {}
MYR_REFUSED("a name of several functions: write [](auto&... x) { f(x...); }")
inline void spawn(...) {}

}  // namespace myr::inline v0
