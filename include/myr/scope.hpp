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
#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <myr/myr.hpp>
#include <myr/outcome.hpp>
#include <source_location>
#include <utility>

namespace myr::inline v0 {

namespace detail {

// Where in the serial program something was thrown: by which task of a scope, at which iteration.
struct PlaceInScope {
  std::size_t spawn;
  std::size_t iteration = 0;
  friend auto operator<=>(const PlaceInScope&, const PlaceInScope&) = default;
};

// What the tasks of a scope share. All read it, so that they need not wait for each other; a wait
// for all of them wants to write it.
class ScopeState {
 public:
  ScopeState() noexcept = default;
  ScopeState(const ScopeState&) = delete;
  ScopeState& operator=(const ScopeState&) = delete;
  ~ScopeState() { static_cast<void>(take_failure()); }

  [[nodiscard]] PlaceInScope next() noexcept {
    return {count_.fetch_add(1, std::memory_order_relaxed)};
  }
  // Any thread. What has not begun is not to run.
  void cancel() const noexcept { is_cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_cancelled() const noexcept {
    return is_cancelled_.load(std::memory_order_relaxed);
  }
  // Any thread.
  void fail(PlaceInScope place, std::exception_ptr exception) const {
    auto* const thrown = new Thrown{place, std::move(exception), nullptr};
    thrown->next = thrown_.load(std::memory_order_relaxed);
    // The one that takes it has waited for the tasks.
    while (!thrown_.compare_exchange_weak(thrown->next, thrown, std::memory_order_relaxed)) {
    }
  }
  // The first in the serial program, if any; the others are dropped. If a task's own exception and
  // its event's have one place, the first that came. REQUIRES: all tasks are over.
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
  mutable std::atomic<bool> is_cancelled_{false};
};

// For a task's events, which may fail when it has returned.
inline myr_failure_taker scope_as_taker(const ScopeState& scope, PlaceInScope place) noexcept {
  const auto take = [](const myr_failure_taker* taker, myr_exception exception) {
    static_cast<const ScopeState*>(taker->to)->fail({taker->words[0], taker->words[1]},
                                                    taken_over(exception));
    return 1;
  };
  return {sizeof(myr_failure_taker),
          take,
          const_cast<ScopeState*>(&scope),
          {place.spawn, place.iteration}};
}

// The scope takes the failure of what ends here, a task or a part of a loop.
template <class Work>
void run_in_scope(const ScopeState& scope, PlaceInScope place, const Work& work) {
  if (scope.is_cancelled()) return;
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

// Counts the parts of a loop in the order in which the serial program begins them.
template <class I>
std::size_t number_in(const IndexRange<I>& all, const IndexRange<I>& part) noexcept {
  return static_cast<std::size_t>(part.from) - static_cast<std::size_t>(all.from);
}
template <class... I>
std::size_t number_in(const Box<I...>& all, const Box<I...>& part) noexcept {
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    std::size_t number = 0;
    ((number = number * side<K>(all).size() + number_in(side<K>(all), side<K>(part))), ...);
    return number;
  }(std::index_sequence_for<I...>{});
}

// The same for the iterations of a part of a loop.
template <class Body, class R>
struct ScopedBody {
  Body body;
  R all;
  const ScopeState* scope;
  PlaceInScope place;

  template <std::same_as<R> Part, class... Own>
    requires takes_plainly<Body, R, Own...>
  void operator()(const Part& part, Own&... own) const {
    run_in_scope(*scope, {place.spawn, number_in(all, part)},
                 [&] { run_iterations(body, part, own...); });
  }
};

// An operation of a reduction, of which the scope gets the exceptions, too.
template <class Op>
struct ScopedOp {
  Op op;
  const ScopeState* scope;
  PlaceInScope place;

  template <class A, class B>
    requires std::is_invocable_v<Op&, A, B>
  decltype(auto) operator()(A&& a, B&& b) {
    return op(std::forward<A>(a), std::forward<B>(b));
  }
};
template <class T, class Op>
struct Combination<T, ScopedOp<Op>> {
  T* target;
  ScopedOp<Op> op;

  void add(T& result) {
    run_in_scope(*op.scope, op.place, [&] { detail::combine(op.op, *target, std::move(result)); });
  }
};

// What reads the variable of a reduction comes behind the combination.
template <class A>
auto results_of(const A& argument) {
  if constexpr (is_reduction<A>) {
    auto access = access_to_target(argument.into, argument.site);
    for (myr_access& one : access.accesses) {
      one.flags = static_cast<std::uint16_t>(one.flags & ~MYR_OUT);
    }
    return std::tuple(access);
  } else {
    return std::tuple<>();
  }
}

}  // namespace detail

namespace detail {

// The wait of a scope in which its owner spawns nothing more: leaving it does not wait again.
struct LastWait {
  template <class S>
  void operator()(S& scope) const {
    scope.is_over_ = true;
    scope.wait();
  }
};

}  // namespace detail

// Waits for the tasks that are spawned in it, and for all that these spawn; their exceptions come
// out of it, and nowhere else. It is a local variable of the task that spawns; its tasks may spawn
// in it, too. Leaving it waits, also while an exception passes: so tasks may use variables that
// stand before it.
//
// A task of a scope ends when its children have ended: it waits for them at its end. On a machine
// of several processes it stays in the one that spawns it.
class Scope {
 public:
  explicit Scope(const void* site = __builtin_source_location()) noexcept
      : site_(static_cast<const myr_site*>(site)) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  // An exception that wait() has not thrown becomes one of the caller's tasks: for the next
  // wait_all().
  ~Scope() {
    if (!is_over_) await();
    if (std::exception_ptr failure = state_.take_failure()) detail::pass_on(failure, site_);
  }

  // As myr::spawn().
  template <class First, class... A>
    requires(!(detail::Unplaced<First, A...> && detail::Right<First, A...>))
  void spawn(First&& first, A&&... arguments) {
    if constexpr (!detail::Right<First, A...> ||
                  detail::Task<First, A...>::kProblem == detail::Problem::Refused) {
      myr::spawn(std::forward<First>(first), std::forward<A>(arguments)...);  // says why
    } else {
      make_task(detail::Uses<>(), std::forward<First>(first), std::forward<A>(arguments)...);
    }
  }
  template <class F>
    requires(detail::Unplaced<F> && detail::Right<F>)
  void spawn(F&& function, detail::Here here = detail::Here(__builtin_source_location())) {
    make_task(here, std::forward<F>(function));
  }
  template <class F, class A>
    requires(detail::Unplaced<F, A> && detail::Right<F, A>)
  void spawn(F&& first, A&& second, detail::Here here = detail::Here(__builtin_source_location())) {
    make_task(here, std::forward<F>(first), std::forward<A>(second));
  }
  template <class F, class A, class B>
    requires(detail::Unplaced<F, A, B> && detail::Right<F, A, B>)
  void spawn(F&& first, A&& second, B&& third,
             detail::Here here = detail::Here(__builtin_source_location())) {
    make_task(here, std::forward<F>(first), std::forward<A>(second), std::forward<B>(third));
  }
  // As myr::for_each() and myr::reduce_each().
  template <detail::StartsLoop First, class... A>
  void for_each(First&& first, A&&... arguments) {
    detail::read_loop(detail::Cut<0>(), detail::ForEach<Loop>{*this}, std::forward<First>(first),
                      std::forward<A>(arguments)...);
  }
  template <detail::StartsLoop First, class... A>
  void reduce_each(First&& first, A&&... arguments) {
    detail::read_loop(detail::Cut<0>(), detail::ReduceEach<Loop>{*this}, std::forward<First>(first),
                      std::forward<A>(arguments)...);
  }

  // Have all ended? As myr::is_ready() and wait_for(). What they have thrown is for wait().
  [[nodiscard]] bool is_ready() const { return wait_for_ns(0); }
  template <detail::IsDuration D>
  [[nodiscard]] bool wait_for(const D& timeout) const {
    return wait_for_ns(detail::nanoseconds_of(timeout));
  }

  // The functions of its tasks, and the iterations of its loops, that have not begun are not called
  // any more, until the scope ends; those that have begun may ask. Their order is kept, and what
  // they should have written is as it was. Any thread, as long as the scope is there:
  //   std::stop_callback on_stop(token, [&] { scope.cancel(); });
  void cancel() noexcept { state_.cancel(); }
  [[nodiscard]] bool is_cancelled() const noexcept { return state_.is_cancelled(); }

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
    const myr_access all = whole_state();
    myr_wait_at(&all, 1, site_);
  }
  [[nodiscard]] bool wait_for_ns(std::uint64_t timeout) const {
    const myr_access all = whole_state();
    return myr_wait_for_at(timeout, &all, 1, site_) != 0;
  }
  // What all tasks of the scope read.
  [[nodiscard]] myr_access whole_state() const noexcept {
    return myr_make_access(&state_, sizeof state_, MYR_INOUT);
  }
  // The access of all that is spawned in the scope. The state stays where it is even if what tasks
  // use is copied: all have the same one.
  [[nodiscard]] auto use(const myr_site* site) const noexcept {
    return notransfer(in(object(state_), site != nullptr ? site : site_));
  }
  // For an argument that reduces, the operation's exceptions come in the scope's order, too.
  template <class A>
  auto&& scoped(detail::PlaceInScope, A&& argument) const noexcept {
    return std::forward<A>(argument);
  }
  template <class T, class Op>
  auto scoped(detail::PlaceInScope place, detail::Reduction<T, Op>&& reduction) const {
    constexpr std::size_t kBehindAll = ~std::size_t{0};
    return detail::Reduction<T, detail::ScopedOp<Op>>{
        {reduction.into.target, {std::move(reduction.into.op), &state_, {place.spawn, kBehindAll}}},
        std::move(reduction.own),
        reduction.site,
        reduction.in_order};
  }
  // The combinations are tasks without a scope. So it has one that comes behind them.
  template <class... Result>
  void await_results(std::tuple<Result...> results, detail::How how = {}) {
    const auto* const site =
        std::apply([](const auto&... one) { return detail::first_site(one.site...); }, results);
    if constexpr (sizeof...(Result) != 0) {
      how.priority = 0;
      spawn_in(how, detail::Uses<Result...>{std::move(results)}, [] {}, use(site));
    }
  }

  template <class None, class... A>
  void make_task(const None& none, A&&... arguments) {
    auto results = std::tuple_cat(detail::results_of(arguments)...);
    detail::How how;
    detail::make_task(
        [&](detail::How given, const auto& uses, auto&& function, auto&&... all) {
          const auto* const site =
              detail::first_site(detail::Argument<std::remove_cvref_t<decltype(uses)>>::site(uses),
                                 detail::ArgumentOf<decltype(all)>::site(all)...);
          how = given;
          spawn_in(how, uses, static_cast<decltype(function)>(function), use(site),
                   static_cast<decltype(all)>(all)...);
        },
        none, how, std::forward<A>(arguments)...);
    await_results(std::move(results), how);
  }
  template <class U, class F, class Own, class... A>
  void spawn_in(detail::How how, const U& uses, F&& function, Own own, A&&... arguments) {
    using Scoped = detail::ScopedFunction<std::decay_t<F>>;
    const detail::PlaceInScope place = state_.next();
    detail::SpawnTask()(how, uses, Scoped{std::forward<F>(function), &state_, place}, own,
                        scoped(place, std::forward<A>(arguments))...);
  }
  struct Loop {
    Scope& scope;

    template <class Space, class Body, class... A>
    void operator()(const Space& space, std::size_t grain, Body&& body, A&&... arguments) const {
      auto results = std::tuple_cat(detail::results_of(arguments)...);
      scope.spawn_loop(space, grain, std::forward<Body>(body), std::forward<A>(arguments)...);
      scope.await_results(std::move(results));
    }
  };
  template <class Space, class Body, class... A>
  void spawn_loop(const Space& space, std::size_t grain, Body&& body, A&&... arguments) {
    using R = std::remove_cvref_t<decltype(space.all())>;
    const detail::PlaceInScope place = state_.next();
    const auto* const site = detail::first_site(detail::loop_site(arguments)...);
    auto guarded = detail::guarded_body(space.all(), std::forward<Body>(body), arguments...);
    detail::spawn_loop(
        space, grain,
        detail::ScopedBody<decltype(guarded), R>{std::move(guarded), space.all(), &state_, place},
        use(site), scoped(place, std::forward<A>(arguments))...);
  }

  friend struct detail::LastWait;

  detail::ScopeState state_;
  const myr_site* site_;  // where it stands: for messages
  bool is_over_ = false;  // all have ended, and no more are spawned
};

}  // namespace myr::inline v0
