// SPDX-License-Identifier: Apache-2.0
//
// Part of algorithm.hpp: loops and functions beside each other, and what the other algorithms
// share.
#pragma once

#include <myr/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <myr/myr.hpp>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

namespace detail {

// What an algorithm goes over.
template <class V>
concept SideBySide = std::ranges::contiguous_range<V> && std::ranges::sized_range<V>;
// The caller may read where they are and how many when earlier tasks have left a container alone.
template <SideBySide V>
auto settled(V& v, const void* site) {
  if constexpr (!View<std::remove_const_t<V>> && !std::is_array_v<V>) wait(in(object(v), site));
  return std::span(std::ranges::data(v), std::ranges::size(v));
}
template <class V>
using ElementOf = std::remove_reference_t<std::ranges::range_reference_t<V>>;

// A piece of an algorithm's work. Its task may be cancelled before it begins, with memory that it
// uses: then its spawner does the work, which others rely on. What it throws does not keep others
// from theirs.
class Piece {
 public:
  template <class Work>
  void run(const Work& work) {
    has_run_ = true;
#if defined(__cpp_exceptions)
    try {
      work();
    } catch (...) {
      failure_ = caught();
    }
#else
    work();
#endif
  }
  // All tasks have ended: calls work(number) for those that have not begun, and throws what the
  // first that threw has thrown.
  template <class Work>
  static void finish(std::span<Piece> all, const Work& work) {
    for (std::size_t number = 0; number < all.size(); ++number) {
      if (!all[number].has_run_) all[number].run([&] { work(number); });
    }
#if defined(__cpp_exceptions)
    for (const Piece& one : all) {
      if (one.failure_ != nullptr) std::rethrow_exception(one.failure_);
    }
#endif
  }

 private:
  bool has_run_ = false;
  std::exception_ptr failure_;
};

inline const myr_site* as_site(const void* site) noexcept {
  return static_cast<const myr_site*>(site);
}

// An access of a loop: these iterations' to what elements(iterations) says. Elements alone.
template <unsigned kMode, class Elements>
auto elements_by_part(Elements elements, const void* site) {
  using T = std::remove_pointer_t<decltype(elements(Range()).data())>;
  auto footprint = [elements, site](const Range& some, myr_access* next) {
    const auto used = elements(some);
    return put_access(make_range<kMode>(used.data(), used.size(), as_site(site)), next);
  };
  return PartAccess<decltype(footprint), IsOwner<std::remove_const_t<T>>::value>{
      std::move(footprint), as_site(site)};
}

// An access of a loop whose iterations are the elements.
template <unsigned kMode, class T>
auto each_of(std::span<T> all, const void* site) {
  return elements_by_part<kMode>(
      [all](const Range& some) { return all.subspan(some.from, some.size()); }, site);
}
// The same for a loop over blocks of elements.
template <unsigned kMode, class T>
auto blocks_of(std::span<T> all, const Blocks& blocks, const void* site) {
  return elements_by_part<kMode>(
      [all, blocks](const Range& numbers) {
        const Range some = blocks.of(numbers);
        return all.subspan(some.from, some.size());
      },
      site);
}
// An access of a task.
template <unsigned kMode, class T>
auto access_to(std::span<T> all, const void* site) {
  return make_range<kMode>(all.data(), all.size(), as_site(site));
}

// Calls the last, and spawns the others.
template <class F>
void invoke_all(Scope& scope, const void* /*site*/, F& last) {
#if defined(__cpp_exceptions)
  try {
    static_cast<void>(last());
  } catch (...) {
    LastWait()(scope);  // throws what comes before it in the serial program
    throw;
  }
#else
  static_cast<void>(last());
#endif
  LastWait()(scope);
}
template <class F, class... Next>
void invoke_all(Scope& scope, const void* site, F& first, Next&... next) {
  scope.spawn([&first] { static_cast<void>(first()); }, Here(site));
  invoke_all(scope, site, next...);
}

}  // namespace detail

// for_each(), which waits until all iterations have run. With v in place of the range it goes over
// the elements, which are declared as inout(), or as in() if they are const.
template <detail::StartsLoop First, class... A>
  requires(!(... || detail::SideBySide<A>))
void parallel_for(First&& first, A&&... arguments) {
  Scope scope(detail::first_site(detail::loop_site(first), detail::loop_site(arguments)...));
  scope.for_each(std::forward<First>(first), std::forward<A>(arguments)...);
  detail::LastWait()(scope);
}
template <detail::SideBySide V, class Body>
  requires std::invocable<const Body&, detail::ElementOf<V>&>
void parallel_for(detail::Grain grain, V&& v, const Body& body,
                  const void* site = __builtin_source_location()) {
  const auto all = detail::settled(v, site);
  using T = detail::ElementOf<V>;
  constexpr unsigned kMode = std::is_const_v<T> ? MYR_IN : MYR_INOUT;
  Scope scope(site);
  scope.for_each(grain, range(all.size()), detail::each_of<kMode>(all, site),
                 [first = all.data(), &body](std::size_t i) { std::invoke(body, first[i]); });
  detail::LastWait()(scope);
}
template <detail::SideBySide V, class Body>
  requires std::invocable<const Body&, detail::ElementOf<V>&>
void parallel_for(V&& v, const Body& body, const void* site = __builtin_source_location()) {
  parallel_for(detail::Grain{0}, v, body, site);
}

// Calls the functions beside each other, the last one itself and the others in tasks; what they
// return is dropped. They use nothing that another one of them writes, nor other tasks of the
// caller: else a Scope says what each uses.
// Cost: a task each, except for the last.
template <std::invocable F, std::invocable G>
void parallel_invoke(F&& f, G&& g, const void* site = __builtin_source_location()) {
  Scope scope(site);
  detail::invoke_all(scope, site, f, g);
}
template <std::invocable F, std::invocable G, std::invocable H>
void parallel_invoke(F&& f, G&& g, H&& h, const void* site = __builtin_source_location()) {
  Scope scope(site);
  detail::invoke_all(scope, site, f, g, h);
}
template <std::invocable... F>
  requires(sizeof...(F) > 3)
void parallel_invoke(F&&... functions) {
  Scope scope(nullptr);
  detail::invoke_all(scope, nullptr, functions...);
}

}  // namespace myr::inline v0
