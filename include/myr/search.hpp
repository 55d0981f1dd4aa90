// SPDX-License-Identifier: Apache-2.0
//
// Part of algorithm.hpp: searches, which look at little behind what they find.
#pragma once

#include <myr/cxx20.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <ctime>
#include <exception>
#include <functional>
#include <iterator>
#include <myr/parallel.hpp>
#include <ranges>
#include <span>
#include <utility>

namespace myr::inline v0 {

namespace detail {

// A search for the first of the numbers below `size`. find(from, to) looks among some of them, and
// returns the first, or `to`; or throws.
template <class Find>
class Search {
 public:
  Search(std::size_t size, Grain grain, const Find& find) noexcept
      : size_(size),
        least_(std::max<std::size_t>(1, std::min(size, grain.iterations))),
        find_(find) {}

  // That number, or `size`; or throws. `access`: what the tasks use, one a worker.
  template <class A>
  std::size_t run(const A& access, const void* site) {
    const std::size_t tasks = std::min<std::size_t>(myr_worker_count(), size_ / least_ + 1);
    Scope scope(site);
    scope.for_each(Grain{1}, range(tasks), access, [&](std::size_t) { look(tasks); });
    LastWait()(scope);
    look(1);  // at what cancelled tasks have left
    const std::size_t found = found_.load(std::memory_order_relaxed);
#if defined(__cpp_exceptions)
    if (end_.load(std::memory_order_relaxed) < found) {
      std::rethrow_exception(failures_.take_failure());
    }
#endif
    return found;
  }

 private:
  // What is taken at a time costs about as much: a worker looks that often whether others have
  // found something.
  static constexpr long long kLongNs = 20'000;
  static constexpr std::size_t kLooks = 8;
  static constexpr std::size_t kFirst = 64;
  static constexpr unsigned kGrowth = 4;

  // Takes numbers in their order: more than last time if those cost little, fewer if much.
  void look(std::size_t tasks) {
    std::size_t length = kFirst;
    for (long long begin = now_ns();;) {
      const std::size_t seen = std::min(size_, next_.load(std::memory_order_relaxed));
      const std::size_t fair = std::max(kFirst, (size_ - seen) / (2 * tasks));
      const std::size_t wanted = std::max(least_, std::min(length, fair));
      const std::size_t from = next_.fetch_add(wanted, std::memory_order_relaxed);
      const std::size_t to = std::min(size_, from + wanted);
      const std::size_t at_once = (wanted - 1) / kLooks + 1;
      for (std::size_t some = from; some < to; some += at_once) {
        look_at(some, std::min(to, some + at_once));
      }
      if (to >= end_.load(std::memory_order_relaxed)) return;
      const long long end = now_ns();
      const long long spent = end - std::exchange(begin, end);
      length = spent < kLongNs / kGrowth ? wanted * kGrowth
               : spent > kLongNs         ? wanted / kGrowth
                                         : wanted;
    }
  }
  // A clock that jumps changes what a search costs, not what it finds.
  static long long now_ns() noexcept {
    std::timespec now{};
    static_cast<void>(std::timespec_get(&now, TIME_UTC));
    return 1'000'000'000LL * now.tv_sec + now.tv_nsec;
  }
  // What is thrown counts as thrown for the first of them: no other task looks at these.
  void look_at(std::size_t from, std::size_t to) {
    if (from >= end_.load(std::memory_order_relaxed)) return;
#if defined(__cpp_exceptions)
    try {
      note(find_(from, to), to);
    } catch (...) {
      failures_.fail({from}, caught());
      lower(end_, from);
    }
#else
    note(find_(from, to), to);
#endif
  }
  void note(std::size_t place, std::size_t to) noexcept {
    if (place == to) return;
    lower(found_, place);
    lower(end_, place);
  }
  static void lower(std::atomic<std::size_t>& least, std::size_t number) noexcept {
    std::size_t now = least.load(std::memory_order_relaxed);
    while (number < now && !least.compare_exchange_weak(now, number, std::memory_order_relaxed)) {
    }
  }

  const std::size_t size_;
  const std::size_t least_;
  const Find& find_;
  ScopeState failures_;                           // by number
  std::atomic<std::size_t> found_{size_};         // the first
  std::atomic<std::size_t> end_{size_};           // the first, or where something was thrown
  alignas(64) std::atomic<std::size_t> next_{0};  // the first that nobody has taken
};

// The place of the first element for which test() holds, or how many there are.
template <class T, class Test>
std::size_t find_place(Grain grain, std::span<T> all, const Test& test, const void* site) {
  const auto find = [&test, first = all.data()](std::size_t from, std::size_t to) {
    return static_cast<std::size_t>(std::find_if(first + from, first + to, std::cref(test)) -
                                    first);
  };
  return Search(all.size(), grain, find).run(access_to<MYR_IN>(all, site), site);
}

}  // namespace detail

// The first element for which test() holds, as an iterator, or end(). Each worker looks at few
// elements behind it. The call throws what test() throws for an element, unless it holds for an
// earlier one. With grain(n), a worker takes at least n elements at a time. Cost: a task a
// worker.
template <detail::SideBySide V, class Test>
  requires std::ranges::borrowed_range<V> && std::predicate<const Test&, detail::ElementOf<V>&>
[[nodiscard]] auto find_if(detail::Grain grain, V&& v, const Test& test,
                           const void* site = __builtin_source_location()) {
  const std::size_t place = detail::find_place(grain, detail::settled(v, site), test, site);
  return std::ranges::begin(v) + static_cast<std::ranges::range_difference_t<V>>(place);
}
template <detail::SideBySide V, class Test>
  requires std::ranges::borrowed_range<V> && std::predicate<const Test&, detail::ElementOf<V>&>
[[nodiscard]] auto find_if(V&& v, const Test& test,
                           const void* site = __builtin_source_location()) {
  return find_if(detail::Grain{0}, v, test, site);
}

// Does test() hold for any element, for all, for none? As find_if().
template <detail::SideBySide V, class Test>
  requires std::predicate<const Test&, detail::ElementOf<V>&>
[[nodiscard]] bool any_of(V&& v, const Test& test, const void* site = __builtin_source_location()) {
  return find_if(v, test, site) != std::ranges::end(v);
}
template <detail::SideBySide V, class Test>
  requires std::predicate<const Test&, detail::ElementOf<V>&>
[[nodiscard]] bool none_of(V&& v, const Test& test,
                           const void* site = __builtin_source_location()) {
  return !any_of(v, test, site);
}
template <detail::SideBySide V, class Test>
  requires std::predicate<const Test&, detail::ElementOf<V>&>
[[nodiscard]] bool all_of(V&& v, const Test& test, const void* site = __builtin_source_location()) {
  return none_of(v, std::not_fn(std::cref(test)), site);
}

}  // namespace myr::inline v0
