// SPDX-License-Identifier: Apache-2.0
//
// Myrmidon's C++ interface: typed accesses, closures as tasks, regions as objects. A thin layer
// over myr.h, header only, with the same rules (docs/semantics.md).
//
// clang-format off
//   myr::Region tree = myr::Region::create();
//   Node* root = tree.make<Node>();
//   myr::spawn(build, myr::inout(tree), root, 20);          // a function and its arguments
//   myr::spawn([](const Grid& a, Grid& b) { ... }, myr::in(a), myr::out(b));
//   myr::wait(myr::in(tree));                               // main may look at the tree
//   myr::wait_all();                                        // rethrows what a task threw
//
// What a task's function receives for each argument of spawn(); out(), inout(), concurrent() and
// commutative() are like in(), without the const:
//
//   argument   received     what is declared
//   in(x)      const T&     x, any lvalue but a pointer or a Region (out(x), inout(x): T&)
//   in(p)      T*           where p points: the whole object if myr::Region made it, else one T
//   in(p, n)   T*           n elements from p on
//   in(tile)   Tile<T>      a rectangle of a row-major matrix, see tile()
//   in(r)      Region       the region and everything in it
//   reduce(x, op)  T&       x; the function gets a copy of its own, see reduce()
//   else       the value    nothing; the value is copied or moved into the task
// clang-format on
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <myr/access.hpp>
#include <myr/closure.hpp>
#include <myr/event.hpp>
#include <myr/exception.hpp>
#include <myr/owned_region.hpp>
#include <myr/problem.hpp>
#include <myr/region.hpp>
#include <myr/saved_closure.hpp>
#include <new>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr {

namespace detail {

// More accesses than any memory has room for are refused.
constexpr bool is_sized(std::size_t access_count) noexcept { return access_count >> 31 == 0; }

// In place of a task whose closure could not be built: one that uses nothing and does nothing.
inline void submit_nothing(const myr_draft& draft, std::size_t count, const myr_site* site) {
  for (std::size_t i = 0; i < count; ++i) draft.accesses[i] = myr_pointer(nullptr);
  myr_draft_keep_here(draft);
  myr_submit_at(draft, [](void*, const myr_access*) {}, site);
}

// Calls build(), which makes a closure in the draft. If that throws, the draft is no task's.
template <class Build>
void build_closure(const myr_draft& draft, std::size_t count, const myr_site* site,
                   const Build& build) {
#if defined(__cpp_exceptions)
  try {
    build();
  } catch (...) {
    submit_nothing(draft, count, site);
    throw;
  }
#else
  build();
#endif
}

// Spawns a task; says what is wrong with it if the compiler knows.
template <class F, class... A>
void spawn_task(int priority, F&& function, A&&... arguments) {
  using enum Problem;
  constexpr Problem problem = problem_of_task<F, A...>();
  static_assert(problem != Part,
                "accesses with `part` are for loops: for_each() and reduce_each()");
  static_assert(problem != Copy,
                "a task gets a copy of its function and of arguments without in(), out() or "
                "inout(), and one of these cannot be copied: write std::move(x), or an access");
  static_assert(problem != Align,
                "what a task gets a copy of can be aligned to 16 bytes at most: write in(x)");
  static_assert(problem != Callable, "the first argument of spawn() must be a function");
  static_assert(problem != Count,
                "the task's function takes more or fewer arguments than spawn() has behind it");
  static_assert(problem != Constant,
                "the task's function wants to change what in() only lets it read, or what is "
                "const: write inout(x) or out(x), or let it take const T& or const T*");
  static_assert(problem != Value,
                "the task's function wants to change an argument of which the task has a copy: "
                "write inout(x) or out(x)");
  static_assert(
      problem != Variable,
      "the task's function takes T*&, but in(p), out(p) and inout(p) of a pointer hand on "
      "its value, for what it points to; for the pointer itself write out(&p) or "
      "inout(&p), and let the function take T**");
  static_assert(problem != Object,
                "the task's function takes an object, but gets a pointer: in(p), out(p) and "
                "inout(p) of a pointer hand on the pointer; write in(*p), or let it take T*");
  static_assert(problem != Pointer,
                "the task's function takes a pointer, but gets an object: in(x), out(x) and "
                "inout(x) hand on x itself; write in(&x), or let it take T&");
  static_assert(problem != Type,
                "the task's function cannot take what spawn() hands on: for in(x) const T&, for "
                "out(x) and inout(x) T&, for in(p) of a pointer T*, else a value");
  if constexpr (problem == None) {
    static_assert(ReturnsNothing<std::decay_t<F>, PassedFor<A>...>,
                  "the task's function returns something, which nobody would get: write async() "
                  "in place of spawn(), or let it return nothing");
    using Task = Closure<std::decay_t<F>, std::remove_cvref_t<A>...>;
    const std::size_t count = saturated_total(ArgumentOf<A>::count(arguments)...);
    const myr_site* site = first_site(ArgumentOf<A>::site(arguments)...);
    if (!is_sized(count)) myr_spawn_at(nullptr, nullptr, count, site);  // says so
    const myr_draft draft = myr_draft_new_at(sizeof(Task), count, site);
    [[maybe_unused]] myr_access* next = draft.accesses;
    (fill_some<false>(arguments, next), ...);
    (fill_some<true>(arguments, next), ...);
    build_closure(draft, count, site, [&] {
      ::new (draft.closure)
          Task{std::forward<F>(function), {ArgumentOf<A>::store(std::forward<A>(arguments))...}};
    });
    if (priority > 0) myr_draft_priority(draft, priority);
    if constexpr ((names_owners<std::remove_cvref_t<A>> || ...) || !Task::is_saved) {
      myr_draft_keep_here(draft);
    } else if constexpr (!Task::is_all_bytes) {
      myr_draft_save(draft, &SavedClosure<Task>::kind);
    }
    constexpr std::size_t reductions =
        (std::size_t{0} + ... + (is_reduction<std::remove_cvref_t<A>> ? 1 : 0));
    if constexpr (reductions != 0) {
      myr_submit_two_at(draft, &Task::kInTwo, reductions, site);
    } else {
      myr_submit_at(draft, &Task::run, site);
    }
  }
}

}  // namespace detail

// Spawns function(arguments...) as a task. The closure is destroyed after it ran, on the worker
// that ran it.
// Cost: one closure constructed in the task; no heap allocation up to a few hundred bytes.
template <class F, class... A>
void spawn(F&& function, A&&... arguments) {
  detail::spawn_task(0, std::forward<F>(function), std::forward<A>(arguments)...);
}

// Of the tasks that are ready, workers run those of a higher priority first: see
// myr_draft_priority(). 0 is that of other tasks.
//   myr::spawn(myr::priority(1), factor, myr::inout(diagonal));
struct Priority {
  int value;
};
[[nodiscard]] constexpr Priority priority(int value) noexcept { return {value}; }
template <class F, class... A>
void spawn(Priority priority, F&& function, A&&... arguments) {
  detail::spawn_task(priority.value, std::forward<F>(function), std::forward<A>(arguments)...);
}

// Does the calling task use something in a cancelled region? Then it may as well return.
[[nodiscard]] inline bool is_cancelled() { return myr_cancelled() != 0; }

// What a global or static variable holds now, all processes of the machine know from here on: see
// myr_share().
template <class T>
void share(const T& variable, const void* site = __builtin_source_location()) {
  static_assert(std::is_trivially_copyable_v<T>,
                "only variables that are no more than their bytes can be shared");
  myr_share_at(std::addressof(variable), sizeof variable, static_cast<const myr_site*>(site));
}

// Waits until the caller may again use the given memory in the given ways. It does not rethrow what
// tasks have thrown, not even those that wrote this memory: that is up to wait_all().
template <class... A>
void wait(const A&... arguments) {
  static_assert(sizeof...(A) > 0, "wait for what? wait_all() waits for every task");
  static_assert((... && detail::is_access<A>),
                "wait() takes in(x), out(x) or inout(x): what the caller wants to do with x then");
  const std::size_t count = detail::saturated_total(detail::ArgumentOf<A>::count(arguments)...);
  const myr_site* site = detail::first_site(detail::ArgumentOf<A>::site(arguments)...);
  if (!detail::is_sized(count)) myr_wait_at(nullptr, count, site);  // says so
  const std::unique_ptr<myr_access[]> accesses(new myr_access[count]);
  myr_access* next = accesses.get();
  (detail::ArgumentOf<A>::fill(arguments, next), ...);
  myr_wait_at(accesses.get(), count, site);
}

// Waits for all tasks that the caller has spawned, and theirs. Then it rethrows what the first of
// them that threw, in the serial program's order, has thrown; the others' exceptions are dropped.
inline void wait_all(const void* site = __builtin_source_location()) {
  myr_wait_all_at(static_cast<const myr_site*>(site));
  detail::rethrow_failure();
}

namespace detail {

// Makes it an exception of a task of the caller's, as which nobody loses it. `site`: that task's.
inline void pass_on(const std::exception_ptr& exception, const void* site) {
#if defined(__cpp_exceptions)
  spawn([exception](Region) { std::rethrow_exception(exception); }, in(Region(), site));
#else
  static_cast<void>(exception), static_cast<void>(site);
#endif
}

}  // namespace detail

}  // namespace myr

#include <myr/future.hpp>     // async(), Future
#include <myr/loop.hpp>       // for_each(), reduce_each(); Scope
#include <myr/recording.hpp>  // Recording
#include <myr/reduction.hpp>  // reduce()
