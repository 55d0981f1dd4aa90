// SPDX-License-Identifier: Apache-2.0
//
// Part of algorithm.hpp: sums and running sums. The elements are cut into blocks by their number
// and the grain alone, and what the blocks leave is combined in their order: so the result has the
// same bits on every machine, and `op` need not be commutative.
#pragma once

#include <myr/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <myr/parallel.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace myr::inline v0 {

namespace detail {

// op for sums of type T.
template <class Op, class T>
concept Combines = std::is_invocable_r_v<T, const Op&, T, T>;

// op(...op(op(f(x0), f(x1)), f(x2))...), by fours, which a processor can add beside each other.
template <class T, class E, class Op, class F>
T fold_block(std::span<E> some, const Op& op, const F& f) {
  const auto value = [&](std::size_t i) { return static_cast<T>(std::invoke(f, some[i])); };
  T sum = value(0);
  std::size_t i = 1;
  for (; some.size() - i >= 4; i += 4) {
    T one = value(i);  // one after the other, as f may throw
    T two = value(i + 1);
    T three = value(i + 2);
    T four = value(i + 3);
    T left = static_cast<T>(op(std::move(one), std::move(two)));
    T right = static_cast<T>(op(std::move(three), std::move(four)));
    T both = static_cast<T>(op(std::move(left), std::move(right)));
    sum = static_cast<T>(op(std::move(sum), std::move(both)));
  }
  for (; i < some.size(); ++i) sum = static_cast<T>(op(std::move(sum), value(i)));
  return sum;
}

// What the blocks leave.
template <class T>
class BlockSums {
 public:
  explicit BlockSums(std::size_t size) : size_(size), sums_(new std::optional<T>[size]) {}
  [[nodiscard]] std::span<std::optional<T>> all() const noexcept { return {sums_.get(), size_}; }
  std::optional<T>& operator[](std::size_t number) const noexcept { return sums_[number]; }

 private:
  std::size_t size_;
  std::unique_ptr<std::optional<T>[]> sums_;
};

template <class T, class E, class Op, class F>
T fold(Grain grain, std::span<E> all, T init, const Op& op, const F& f, const void* site) {
  constexpr std::size_t kMost = 256;
  const Blocks blocks({0, all.size()}, kMost, grain.iterations);
  const BlockSums<T> sums(blocks.numbers().size());
  const auto fold_one = [&](std::size_t number) {
    const Range some = blocks.of({number, number + 1});
    sums[number].emplace(fold_block<T>(all.subspan(some.from, some.size()), op, f));
  };
  Scope scope(site);
  scope.for_each(Grain{grain.iterations == 0 ? 0U : 1U}, blocks.numbers(),
                 blocks_of<MYR_IN>(all, blocks, site), each_of<MYR_OUT>(sums.all(), site),
                 fold_one);
  LastWait()(scope);
  for (const std::size_t number : blocks.numbers()) {
    if (!sums[number]) fold_one(number);  // its task was cancelled
    init = static_cast<T>(op(std::move(init), std::move(*sums[number])));
  }
  return init;
}

// A scan in two steps. A first part of the blocks is scanned at once, beside tasks that only add up
// those in the middle. Then it is known what these begin with, and they are scanned, beside the
// last part. So less than half is gone over twice if there are two workers, and nothing if there is
// one.
template <bool kInclusive, class T, class E, class To, class Op>
class Scan {
 public:
  Scan(Grain grain, std::span<E> from, std::span<To> to, const Op& op, const void* site)
      : blocks_({0, from.size()}, kMost, grain.iterations == 0 ? kCheap : grain.iterations),
        from_(from),
        to_(to),
        op_(op),
        site_(site) {}

  void run(std::optional<T> before) const {
    const std::size_t count = blocks_.numbers().size();
    const std::size_t workers = myr_worker_count();
    const bool is_short = workers == 1 || count < 2 * (workers + 1);  // for one task
    const std::size_t side = is_short ? 0 : count / (workers + 1);
    const Range middle{side, is_short ? 0 : count - side};
    const BlockSums<T> sums(count);
    add_up(middle, {0, side}, sums, before);
    for (const std::size_t number : middle) {
      T next = behind(before, *sums[number]);
      sums[number] = std::exchange(before, std::move(next));
    }
    std::vector<Piece> pieces(count);
    Piece last;
    Scope scope(site_);
    scope.for_each(Grain{1}, middle, blocks_of<MYR_IN>(from_, blocks_, site_),
                   blocks_of<MYR_OUT>(to_, blocks_, site_), each_of<MYR_INOUT>(sums.all(), site_),
                   each_of<MYR_INOUT>(std::span(pieces), site_), [&](std::size_t number) {
                     pieces[number].run([&] { scan(number, sums[number]); });
                   });
    scan_in_task(scope, {middle.to, count}, before, last);
    LastWait()(scope);
    Piece::finish(std::span(pieces).subspan(middle.from, middle.size()), [&](std::size_t number) {
      scan(middle.from + number, sums[middle.from + number]);
    });
    Piece::finish({&last, 1}, [&](std::size_t) { scan_all({middle.to, count}, before); });
  }

 private:
  static constexpr std::size_t kMost = 1024;
  static constexpr std::size_t kCheap = 4096;
  // Sums are added to what comes before by fours, which a processor does beside each other; where
  // op throws, one by one, for the order of what is thrown.
  static constexpr bool kByFours =
      std::is_arithmetic_v<T> && std::is_nothrow_invocable_v<const Op&, T, T>;

  // Scans the blocks of `first`, beside which it adds up those of `middle`.
  void add_up(Range middle, Range first, const BlockSums<T>& sums, std::optional<T>& before) const {
    std::vector<Piece> pieces(middle.to);
    Piece scanned;
    Scope scope(site_);
    scan_in_task(scope, first, before, scanned);
    scope.for_each(Grain{1}, middle, blocks_of<MYR_IN>(from_, blocks_, site_),
                   each_of<MYR_OUT>(sums.all(), site_),
                   each_of<MYR_INOUT>(std::span(pieces), site_), [&](std::size_t number) {
                     pieces[number].run([&] { sums[number].emplace(sum_of(number)); });
                   });
    LastWait()(scope);
    Piece::finish({&scanned, 1}, [&](std::size_t) { scan_all(first, before); });
    Piece::finish(std::span(pieces).subspan(middle.from), [&](std::size_t number) {
      sums[middle.from + number].emplace(sum_of(middle.from + number));
    });
  }
  void scan_in_task(Scope& scope, Range numbers, std::optional<T>& before, Piece& piece) const {
    if (numbers.size() == 0) return;
    const Range some = blocks_.of(numbers);
    scope.spawn(
        uses(access_to<MYR_IN>(from_.subspan(some.from, some.size()), site_),
             access_to<MYR_OUT>(to_.subspan(some.from, some.size()), site_)),
        [this, numbers](std::optional<T>& carried, Piece& own) {
          own.run([&] { scan_all(numbers, carried); });
        },
        inout(object(before)), inout(object(piece)));
  }
  void scan_all(Range numbers, std::optional<T>& before) const {
    for (const std::size_t number : numbers) scan(number, before);
  }

  template <class X>
  std::span<X> block(std::span<X> all, std::size_t number) const {
    const Range some = blocks_.of({number, number + 1});
    return all.subspan(some.from, some.size());
  }
  T behind(const std::optional<T>& before, const T& own) const {
    return before ? static_cast<T>(op_(*before, own)) : own;
  }
  // In the same order as scan(), so that it has the same bits.
  T sum_of(std::size_t number) const {
    const std::span<E> from = block(from_, number);
    T sum = static_cast<T>(from[0]);
    for (std::size_t i = 1; i < from.size(); ++i) {
      sum = static_cast<T>(op_(std::move(sum), static_cast<T>(from[i])));
    }
    return sum;
  }
  // `before`: what comes before the block; then, what comes before the next one.
  void scan(std::size_t number, std::optional<T>& before) const {
    const std::span<E> from = block(from_, number);
    const std::span<To> to = block(to_, number);
    const std::optional<T> start = before;
    T own = static_cast<T>(from[0]);
    const auto scan_behind = [&](const auto& result) {
      to[0] = static_cast<To>(kInclusive ? result(own) : *start);
      std::size_t i = 1;
      if constexpr (kByFours) {
        for (; from.size() - i >= 4; i += 4) {
          const T zeroth = own;
          const T first = static_cast<T>(op_(zeroth, static_cast<T>(from[i])));
          const T second = static_cast<T>(op_(first, static_cast<T>(from[i + 1])));
          const T third = static_cast<T>(op_(second, static_cast<T>(from[i + 2])));
          own = static_cast<T>(op_(third, static_cast<T>(from[i + 3])));
          to[i] = static_cast<To>(result(kInclusive ? first : zeroth));
          to[i + 1] = static_cast<To>(result(kInclusive ? second : first));
          to[i + 2] = static_cast<To>(result(kInclusive ? third : second));
          to[i + 3] = static_cast<To>(result(kInclusive ? own : third));
        }
      }
      for (; i < from.size(); ++i) {
        T one = static_cast<T>(from[i]);  // which may be to[i]
        if constexpr (!kInclusive) to[i] = static_cast<To>(result(own));
        own = static_cast<T>(op_(std::move(own), std::move(one)));
        if constexpr (kInclusive) to[i] = static_cast<To>(result(own));
      }
    };
    if (start) {
      scan_behind([&](const T& sum) { return static_cast<T>(op_(*start, sum)); });
    } else {
      scan_behind([](const T& sum) { return sum; });
    }
    before = behind(start, own);
  }

  Blocks blocks_;
  std::span<E> from_;
  std::span<To> to_;
  const Op& op_;
  const void* site_;
};

template <class V, class To, class Op, class T = std::remove_cv_t<ElementOf<V>>>
concept Scannable =
    !std::is_const_v<ElementOf<To>> && Combines<Op, T> &&
    std::constructible_from<T, ElementOf<V>&> && std::constructible_from<ElementOf<To>, T>;

template <class V, class T, class Op, class F>
concept Foldable = Combines<Op, T> && std::invocable<const F&, ElementOf<V>&> &&
                   std::constructible_from<T, std::invoke_result_t<const F&, ElementOf<V>&>>;

inline void check_room(std::size_t from, std::size_t to) {
#if defined(__cpp_exceptions)
  if (to < from) throw std::length_error("a scan needs as many elements to write as it reads");
#else
  if (to < from) std::terminate();
#endif
}

template <bool kInclusive, class V, class To, class Op, class T>
void scan(Grain grain, V& v, To& to, const Op& op, std::optional<T> before, const void* site) {
  const auto from = settled(v, site);
  const auto room = settled(to, site);
  check_room(from.size(), room.size());
  Scan<kInclusive, T, ElementOf<V>, ElementOf<To>, Op>(grain, from, room, op, site)
      .run(std::move(before));
}

}  // namespace detail

// op(init, f(x)) for each element x, one after the other; op must be associative. The call
// throws what op and f throw. `init` may be of another type than the elements, which is then
// that of the sum: 0L, 0.0. Cost: a loop over at most 256 blocks, with a value of the sum's type
// each.
template <detail::SideBySide V, class T, class Op, class F = std::identity>
  requires detail::Foldable<V, T, Op, F>
[[nodiscard]] T transform_reduce(detail::Grain grain, V&& v, T init, const Op& op, const F& f = {},
                                 const void* site = __builtin_source_location()) {
  return detail::fold(grain, detail::settled(v, site), std::move(init), op, f, site);
}
template <detail::SideBySide V, class T, class Op, class F = std::identity>
  requires detail::Foldable<V, T, Op, F>
[[nodiscard]] T transform_reduce(V&& v, T init, const Op& op, const F& f = {},
                                 const void* site = __builtin_source_location()) {
  return detail::fold({0}, detail::settled(v, site), std::move(init), op, f, site);
}
// The same for numbers, with what they use in front of the function, as in for_each():
//   transform_reduce(range(n), 0.0, std::plus<>(), in(a, part), in(b, part),
//                    [](auto i, auto x, auto y) { return x[i] * y[i]; })
// The identity of op must be known, as in reduce().
template <detail::Numbers R, class T, class Op, class... A>
[[nodiscard]] T transform_reduce(detail::Grain grain, const R& numbers, T init, Op op,
                                 A&&... arguments) {
  Scope scope(detail::first_site(detail::loop_site(arguments)...));
  scope.reduce_each(grain, numbers, reduce(init, std::move(op)), std::forward<A>(arguments)...);
  detail::LastWait()(scope);
  return init;
}
template <detail::Numbers R, class T, class Op, class... A>
[[nodiscard]] T transform_reduce(const R& numbers, T init, Op op, A&&... arguments) {
  return transform_reduce(detail::Grain{0}, numbers, std::move(init), std::move(op),
                          std::forward<A>(arguments)...);
}

// For how many elements does test() hold?
template <detail::SideBySide V, class Test>
  requires std::predicate<const Test&, detail::ElementOf<V>&>
[[nodiscard]] std::size_t count_if(V&& v, const Test& test,
                                   const void* site = __builtin_source_location()) {
  return transform_reduce(
      v, std::size_t{0}, std::plus<>(),
      [&test](auto& x) -> std::size_t { return std::invoke(test, x) ? 1 : 0; }, site);
}

// Writes op(...op(v[0], v[1])..., v[i]) to to[i]; exclusive_scan(): op(...op(init, v[0])...,
// v[i - 1]). `to` may be v; else it shares nothing with it, and it has as much room, or there is a
// std::length_error. op must be associative; the call throws what it throws, and what is in
// `to` is not known then. Cost: two calls of op for each element, three for some. So an
// expensive op gains from three workers on, and sets grain(n); without it a task has 4,096
// elements at least.
template <detail::SideBySide V, detail::SideBySide To, class Op = std::plus<>>
  requires detail::Scannable<V, To, Op>
void inclusive_scan(V&& v, To&& to, const Op& op = {},
                    const void* site = __builtin_source_location()) {
  using T = std::remove_cv_t<detail::ElementOf<V>>;
  detail::scan<true>({0}, v, to, op, std::optional<T>(), site);
}
template <detail::SideBySide V, detail::SideBySide To, class Op, class T>
  requires detail::Scannable<V, To, Op, T>
void inclusive_scan(V&& v, To&& to, const Op& op, T init,
                    const void* site = __builtin_source_location()) {
  detail::scan<true>({0}, v, to, op, std::optional<T>(std::move(init)), site);
}
template <detail::SideBySide V, detail::SideBySide To, class T, class Op = std::plus<>>
  requires detail::Scannable<V, To, Op, T>
void exclusive_scan(V&& v, To&& to, T init, const Op& op = {},
                    const void* site = __builtin_source_location()) {
  detail::scan<false>({0}, v, to, op, std::optional<T>(std::move(init)), site);
}
template <detail::SideBySide V, detail::SideBySide To, class Op = std::plus<>>
  requires detail::Scannable<V, To, Op>
void inclusive_scan(detail::Grain grain, V&& v, To&& to, const Op& op = {},
                    const void* site = __builtin_source_location()) {
  using T = std::remove_cv_t<detail::ElementOf<V>>;
  detail::scan<true>(grain, v, to, op, std::optional<T>(), site);
}
template <detail::SideBySide V, detail::SideBySide To, class Op, class T>
  requires detail::Scannable<V, To, Op, T>
void inclusive_scan(detail::Grain grain, V&& v, To&& to, const Op& op, T init,
                    const void* site = __builtin_source_location()) {
  detail::scan<true>(grain, v, to, op, std::optional<T>(std::move(init)), site);
}
template <detail::SideBySide V, detail::SideBySide To, class T, class Op = std::plus<>>
  requires detail::Scannable<V, To, Op, T>
void exclusive_scan(detail::Grain grain, V&& v, To&& to, T init, const Op& op = {},
                    const void* site = __builtin_source_location()) {
  detail::scan<false>(grain, v, to, op, std::optional<T>(std::move(init)), site);
}

}  // namespace myr::inline v0
