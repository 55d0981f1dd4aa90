// SPDX-License-Identifier: Apache-2.0
//
// A task's function with its arguments, as the task keeps them: a part of myr.hpp.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/frontend.h>

#include <cstddef>
#include <memory>
#include <myr/access.hpp>
#include <myr/exception.hpp>
#include <myr/saved_closure.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr::inline v0::detail {

// Runs code of the user's. What it throws is the running task's failure; then returns false.
template <class Work>
bool attempt(const Work& work) {
#if defined(__cpp_exceptions)
  try {
    work();
  } catch (...) {
    report_failure();
    return false;
  }
#else
  work();
#endif
  return true;
}

// Writes the accesses of an argument, if it is a reduction or if it is none.
template <bool kReductions, class A>
void fill_some(const A& argument, myr_access*& next) noexcept {
  if constexpr (is_reduction<A> == kReductions) ArgumentOf<A>::fill(argument, next);
}

// A function that wants to know how its call ends, with its arguments: run() is given the call, and
// taker() is told if an event of the task fails later.
template <class F>
inline constexpr bool is_wrapper = false;

// Calls a function, or a member of its first argument.
template <class F, class... P>
decltype(auto) call_with(F&& function, P&&... passed) {
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>) {
    return std::apply(std::forward<F>(function), std::forward_as_tuple(std::forward<P>(passed)...));
  } else {
    return std::forward<F>(function)(std::forward<P>(passed)...);
  }
}

// Waits for the children of the running task that use a value of its own.
template <class T>
void await_users_of(T& own) {
  const auto access = access_to_object<MYR_INOUT>(own, nullptr);
  myr_wait_at(access.accesses, std::extent_v<decltype(access.accesses)>, nullptr);
}

template <class F, class... A>
struct Closure {
  F function;
  std::tuple<typename ArgumentOf<A>::Stored...> stored;

  static constexpr bool kReduces = (... || is_reduction<A>);
  static constexpr bool is_all_bytes =
      (is_bytes<F> && ... && is_bytes<typename ArgumentOf<A>::Stored>);
  template <class T>
  static constexpr bool travels = is_bytes<T> || Saved<T>;
  static constexpr bool is_saved = (travels<F> && ... && travels<typename ArgumentOf<A>::Stored>);

  static void run(void* memory, const myr_access* accesses) {
    auto* self = static_cast<Closure*>(memory);
    const Destroy destroy{self};
    if (accesses == MYR_CANCELLED) return;
    attempt([self] {
      if constexpr (kReduces) {
        self->template reduce<true>();
        self->combine();
      } else {
        self->template call<false>();
      }
    });
  }

  // run() in two steps, for a task that reduces.
  static void run_first(void* memory, const myr_access* accesses) {
    auto* self = *static_cast<Closure**>(memory);
    if (accesses == MYR_CANCELLED) return;
    attempt([self] { self->template reduce<false>(); });
    const myr_failure_taker taker{sizeof taker, &drop_results, self, {}};
    myr_take_event_failure(&taker);
  }
  static void run_second(void* memory, const myr_access* accesses) {
    auto* self = static_cast<Closure*>(memory);
    const Destroy destroy{self};
    if (accesses == MYR_CANCELLED) return;
    attempt([self] { self->combine(); });
  }
  static constexpr myr_two_bodies kInOne{sizeof(myr_two_bodies), &run, nullptr, nullptr};
  static constexpr myr_two_bodies kInTwo{sizeof(myr_two_bodies), &run, &run_first, &run_second};

 private:
  struct Destroy {
    Closure* closure;
    ~Destroy() { closure->~Closure(); }
  };
  struct Children {
    Closure* closure;
    ~Children() {
      closure->each_reduction([](auto& reduction) { await_users_of(reduction.own.value); });
    }
  };

  template <bool kAwaitsEvents, std::size_t... I>
  void call_function(std::index_sequence<I...>) {
    if constexpr (std::is_member_pointer_v<F>) {
      static_cast<void>(call_with(function, ArgumentOf<A>::pass(std::get<I>(stored))...));
    } else {  // most are, and each is compiled by itself
      static_cast<void>(std::move(function)(ArgumentOf<A>::pass(std::get<I>(stored))...));
    }
    if constexpr (kAwaitsEvents) await_events();
  }
  template <bool kAwaitsEvents>
  void call() {
    constexpr std::index_sequence_for<A...> all;
    if constexpr (is_wrapper<F>) {
      function.run([&] { call_function<kAwaitsEvents>(all); });
    } else {
      call_function<kAwaitsEvents>(all);
    }
  }
  // Results are there, and may be combined, when the events are over, and the children that use
  // them have ended.
  template <bool kAwaitsEvents>
  void reduce() {
    const Children children{this};
    call<kAwaitsEvents>();
    each_reduction([](auto& reduction) { reduction.has_result = true; });
  }
  // An event has failed, and with it the task.
  static int drop_results(const myr_failure_taker* taker, myr_exception exception) {
    auto* self = static_cast<Closure*>(taker->to);
    self->each_reduction([](auto& reduction) { reduction.has_result = false; });
    if constexpr (is_wrapper<F>) {
      const myr_failure_taker own = self->function.taker();
      return own.take(&own, exception);
    } else {
      return 0;
    }
  }
  void combine() {
    each_reduction([](auto& reduction) {
      if (reduction.has_result) reduction.combine();
    });
  }
  template <class Use>
  void each_reduction(const Use& use) {
    const auto use_one = [&use]<class S>(S& one) {
      if constexpr (is_reduction<S>) use(one);
    };
    std::apply([&use_one](auto&... one) { (use_one(one), ...); }, stored);
  }
};

}  // namespace myr::inline v0::detail
