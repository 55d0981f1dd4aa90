// SPDX-License-Identifier: Apache-2.0
//
// Scopes, which wait for their own tasks and get their exceptions: a part of myr.hpp.
//
//   double norm(const Grid& grid) {
//     Parts parts;
//     myr::Scope scope;
//     for (int i = 0; i < kParts; ++i) scope.spawn(add, myr::in(grid), myr::out(parts[i]));
//     scope.wait();        // for these, not for what the caller of norm() has spawned
//     return parts.sum();
//   }
#pragma once

#include <myr/cxx20.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <myr/myr.hpp>
#include <myr/outcome.hpp>
#include <source_location>
#include <utility>

namespace myr {

namespace detail {

// Where in the serial program something was thrown: by which task of a scope, at which iteration.
struct PlaceInScope {
  std::size_t spawn;
  std::size_t iteration = 0;
  friend auto operator<=>(const PlaceInScope&, const PlaceInScope&) = default;
};

// What the tasks of a scope share. All read it, so that they need not wait for each other; who
// waits for all of them wants to write it.
class ScopeState {
 public:
  ScopeState() noexcept = default;
  ScopeState(const ScopeState&) = delete;
  ScopeState& operator=(const ScopeState&) = delete;
  ~ScopeState() { static_cast<void>(take_failure()); }

  [[nodiscard]] PlaceInScope next() noexcept {
    return {count_.fetch_add(1, std::memory_order_relaxed)};
  }
  // Any thread.
  void fail(PlaceInScope place, std::exception_ptr exception) const {
    auto* const thrown = new Thrown{place, std::move(exception), nullptr};
    thrown->next = thrown_.load(std::memory_order_relaxed);
    // Whoever takes it has waited for the tasks.
    while (!thrown_.compare_exchange_weak(thrown->next, thrown, std::memory_order_relaxed)) {
    }
  }
  // The first in the serial program, if any; the others are dropped. Of one place, of a task's own
  // exception and its event's, the first that came. REQUIRES: all tasks are over.
  [[nodiscard]] std::exception_ptr take_failure() {
    std::unique_ptr<Thrown> first;
    for (Thrown* next = thrown_.exchange(nullptr, std::memory_order_relaxed); next != nullptr;) {
      std::unique_ptr<Thrown> one(std::exchange(next, next->next));
      if (first == nullptr || one->place <= first->place) first = std::move(one);
    }
    return first == nullptr ? nullptr : std::move(first->exception);
  }

 private:
  struct Thrown {
    PlaceInScope place;
    std::exception_ptr exception;
    Thrown* next;
  };

  std::atomic<std::size_t> count_{0};
  mutable std::atomic<Thrown*> thrown_{nullptr};
};

// For a task's events, which may fail when it has returned.
inline myr_failure_taker scope_as_taker(const ScopeState& scope, PlaceInScope place) noexcept {
  const auto take = [](const myr_failure_taker* taker, myr_exception exception) {
    static_cast<const ScopeState*>(taker->to)->fail({taker->words[0], taker->words[1]},
                                                    taken_over(exception));
    return 1;
  };
  return {take, const_cast<ScopeState*>(&scope), {place.spawn, place.iteration}};
}

// The scope has the failure of what ends here, a task or a part of a loop.
template <class Work>
void run_in_scope(const ScopeState& scope, PlaceInScope place, const Work& work) {
  std::exception_ptr failure = outcome_of(work);
  const myr_failure_taker taker = scope_as_taker(scope, place);
  myr_take_event_failure(&taker);
  if (failure == nullptr) return;
  scope.fail(place, std::move(failure));
#if defined(__cpp_exceptions)
  throw Taken();
#endif
}

// A task's function, of which the scope gets the exceptions.
template <class F>
struct ScopedFunction {
  F function;
  const ScopeState* scope;
  PlaceInScope place;

  template <class... P>
  void operator()(const ScopeState&, P&&... passed) {
    call_with(std::move(function), static_cast<P&&>(passed)...);
  }
  template <class Call>
  void run(const Call& call) {
    run_in_scope(*scope, place, call);
  }
  [[nodiscard]] myr_failure_taker taker() const noexcept { return scope_as_taker(*scope, place); }
};
template <class F>
inline constexpr bool is_wrapper<ScopedFunction<F>> = true;

// The same of the iterations of a part of a loop.
template <class Body>
struct ScopedBody {
  Body body;
  const ScopeState* scope;
  PlaceInScope place;

  template <class I>
  void operator()(const IndexRange<I>& some) const {
    const Line<I> from_zero({std::numeric_limits<I>::min(), some.to});
    const std::size_t first = static_cast<std::size_t>(some.from) + from_zero.origin();
    run_in_scope(*scope, {place.spawn, first}, [&] { run_iterations(body, some); });
  }
};

}  // namespace detail

// Waits for the tasks that are spawned in it, and for all that these spawn; their exceptions are
// its own, and nobody else's. It is a local variable of the task that spawns; its tasks may spawn
// in it, too. Leaving it waits, also while an exception passes: so tasks may use variables that
// stand before it.
//
// A task of a scope ends when its children have ended: it waits for them at its end. On a machine
// of several processes it stays in that which spawns it.
class Scope {
 public:
  explicit Scope(const void* site = __builtin_source_location()) noexcept : site_(site) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  // What wait() has not thrown is an exception of the caller's tasks: for the next wait_all().
  ~Scope() {
    await();
    if (std::exception_ptr failure = state_.take_failure()) detail::pass_on(failure, site_);
  }

  // As myr::spawn().
  template <class First, class... A>
  void spawn(First&& first, A&&... arguments) {
    static_assert(!(... || detail::is_reduction<std::remove_cvref_t<A>>),
                  "a scope cannot wait for what reduce() combines later: spawn with myr::spawn(), "
                  "and wait for the variable, or reduce within a task of the scope");
    if constexpr (!detail::Right<First, A...> ||
                  detail::Task<First, A...>::kProblem == detail::Problem::Refused) {
      myr::spawn(std::forward<First>(first), std::forward<A>(arguments)...);  // says why
    } else {
      const auto make = [this](Priority priority, const auto& uses, auto&&... all) {
        spawn_in(priority, uses, static_cast<decltype(all)>(all)...);
      };
      if constexpr (std::is_same_v<std::remove_cvref_t<First>, Priority>) {
        detail::make_behind(make, first, std::forward<A>(arguments)...);
      } else {
        detail::make_behind(make, priority(0), std::forward<First>(first),
                            std::forward<A>(arguments)...);
      }
    }
  }
  // As myr::for_each(), with a body that takes an index or a Range.
  template <class I, class... A>
  void for_each(IndexRange<I> range, A&&... arguments) {
    spawn_loop([range](auto&&... all) { myr::for_each(range, std::move(all)...); },
               std::forward<A>(arguments)...);
  }
  template <class I, class... A>
  void for_each(detail::Grain grain, IndexRange<I> range, A&&... arguments) {
    spawn_loop([=](auto&&... all) { myr::for_each(grain, range, std::move(all)...); },
               std::forward<A>(arguments)...);
  }

  // Returns when they have ended. Then it rethrows what the first of them that threw, in the serial
  // program's order, has thrown.
  void wait() {
    await();
#if defined(__cpp_exceptions)
    if (std::exception_ptr failure = state_.take_failure()) std::rethrow_exception(failure);
#endif
  }

 private:
  void await() const {
    const myr_access all = myr_make_access(&state_, sizeof state_, MYR_INOUT);
    myr_wait_at(&all, 1, static_cast<const myr_site*>(site_));
  }
  [[nodiscard]] auto use() const noexcept { return in(state_, site_); }

  template <class U, class F, class... A>
  void spawn_in(Priority priority, const U& uses, F&& function, A&&... arguments) {
    using Scoped = detail::ScopedFunction<std::decay_t<F>>;
    detail::SpawnTask()(priority, uses, Scoped{std::forward<F>(function), &state_, state_.next()},
                        use(), std::forward<A>(arguments)...);
  }
  template <class Loop, class... A>
  void spawn_loop(const Loop& loop, A&&... arguments) {
    static_assert(sizeof...(A) > 0, "a loop needs a body, its last argument");
    static_assert(!(... || detail::is_reduction<std::remove_cvref_t<A>>),
                  "a scope cannot wait for what reduce() combines later: loop with "
                  "myr::for_each(), and wait for the variable");
    if constexpr (sizeof...(A) > 0) {
      spawn_body_last(loop, std::forward_as_tuple(std::forward<A>(arguments)...),
                      std::make_index_sequence<sizeof...(A) - 1>());
    }
  }
  template <class Loop, class Tuple, std::size_t... I>
  void spawn_body_last(const Loop& loop, Tuple&& all, std::index_sequence<I...>) {
    using Body = std::decay_t<std::tuple_element_t<sizeof...(I), std::remove_cvref_t<Tuple>>>;
    loop(use(), std::get<I>(std::move(all))...,
         detail::ScopedBody<Body>{std::get<sizeof...(I)>(std::move(all)), &state_, state_.next()});
  }

  detail::ScopeState state_;
  const void* site_;  // where it stands: for messages
};

}  // namespace myr
