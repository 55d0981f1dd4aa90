// SPDX-License-Identifier: Apache-2.0
//
// Part of algorithm.hpp: sorting, by merges of halves. Each half lies in the elements' own memory
// or in a buffer of the same size, by turns; where a merge is cut is searched for before it begins,
// so that its parts use different memory.
#pragma once

#include <myr/cxx20.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <myr/search.hpp>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace myr::inline v0 {

namespace detail {

template <class V, class Compare>
concept Sortable =
    !std::is_const_v<ElementOf<V>> && std::predicate<const Compare&, ElementOf<V>&, ElementOf<V>&>;

// Two sorted sequences on the way to become one. What has not been merged when this ends, because
// one is used up or a comparison has thrown, is moved as it is: so no element is lost.
template <class T>
struct Merge {
  T *a, *a_end, *b, *b_end, *to;

  Merge(std::span<T> first, std::span<T> second, T* target) noexcept
      : a(first.data()),
        a_end(a + first.size()),
        b(second.data()),
        b_end(b + second.size()),
        to(target) {}
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;
  ~Merge() { std::move(b, b_end, std::move(a, a_end, to)); }

  template <class Compare>
  void run(const Compare& compare) {
    while (a != a_end && b != b_end) {
      const bool is_second = std::invoke(compare, *b, *a);  // added, where a branch would be missed
      *to++ = std::move(*(is_second ? b : a));
      a += !is_second;
      b += is_second;
    }
  }
  void leave() noexcept { a = a_end, b = b_end; }
};

// How many of `a` are among the first `count` of both, merged.
template <class T, class Compare>
std::size_t count_before(std::size_t count, std::span<T> a, std::span<T> b,
                         const Compare& compare) {
  std::size_t least = count < b.size() ? 0 : count - b.size();
  std::size_t most = std::min(count, a.size());
  while (least < most) {
    const std::size_t middle = least + (most - least) / 2;
    if (std::invoke(compare, b[count - middle - 1], a[middle])) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return least;
}

// Memory into which objects are moved: all of them, before this ends.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size), first_(std::allocator<T>().allocate(size)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    std::destroy_n(first_, size_);
    std::allocator<T>().deallocate(first_, size_);
  }
  [[nodiscard]] std::span<T> all() const noexcept { return {first_, size_}; }

 private:
  std::size_t size_;
  T* first_;
};

template <class T, class Compare, class SortLeaf>
class MergeSort {
 public:
  MergeSort(std::span<T> all, const Compare& compare, SortLeaf sort_leaf, const void* site)
      : all_(all), buffer_(all.size()), compare_(compare), sort_leaf_(sort_leaf), site_(site) {}

  // `levels` is odd: then all is where it was.
  void run(unsigned levels) { sort({0, all_.size()}, levels); }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 15;  // of a merge, for a task

  // Sorts these, which are in all_. If the level is even, they are in the buffer then.
  void sort(Range some, unsigned level) const {
    if (level == 0) return sort_to_buffer(some);
    const std::size_t middle = some.from + some.size() / 2;
    const bool back = level % 2 != 0;
    const std::span<T> from = back ? buffer_.all() : all_;
    const std::span<T> to = (back ? all_ : buffer_.all()).subspan(some.from, some.size());
    const auto a = from.subspan(some.from, middle - some.from);
    const auto b = from.subspan(middle, some.to - middle);
    Merge<T> unmerged(a, b, to.data());
    const Range halves[] = {{some.from, middle}, {middle, some.to}};
    Piece pieces[2];
    Scope scope(site_);
    sort_in_task(scope, halves[0], level - 1, pieces[0]);
    sort_in_task(scope, halves[1], level - 1, pieces[1]);
    LastWait()(scope);
    Piece::finish(pieces, [&](std::size_t half) { sort(halves[half], level - 1); });
    const std::vector<std::size_t> cuts = cuts_of(a, b);
    unmerged.leave();
    merge(a, b, to, cuts);
  }
  void sort_to_buffer(Range some) const {
    struct Moved {
      std::span<T> from;
      T* to;
      ~Moved() { std::uninitialized_move(from.begin(), from.end(), to); }
    };
    const std::span<T> own = all_.subspan(some.from, some.size());
    const Moved moved{own, buffer_.all().data() + some.from};
    sort_leaf_(own.begin(), own.end(), std::cref(compare_));
  }
  void sort_in_task(Scope& scope, Range some, unsigned level, Piece& piece) const {
    scope.spawn(
        uses(access_to<MYR_INOUT>(all_.subspan(some.from, some.size()), site_),
             access_to<MYR_OUT>(buffer_.all().subspan(some.from, some.size()), site_)),
        [this, some, level](Piece& own) { own.run([&] { sort(some, level); }); },
        inout(object(piece)));
  }

  // How many of `a` come before each piece of the result.
  std::vector<std::size_t> cuts_of(std::span<T> a, std::span<T> b) const {
    std::vector<std::size_t> cuts;
    for (std::size_t begin = 0; begin < a.size() + b.size(); begin += kPiece) {
      cuts.push_back(count_before(begin, a, b, compare_));
    }
    cuts.push_back(a.size());
    return cuts;
  }
  void merge(std::span<T> a, std::span<T> b, std::span<T> to,
             const std::vector<std::size_t>& cuts) const {
    const auto to_of = [to](const Range& pieces) {
      const std::size_t begin = pieces.from * kPiece;
      return to.subspan(begin, std::min(pieces.size() * kPiece, to.size() - begin));
    };
    const auto a_of = [a, &cuts](const Range& pieces) {
      return a.subspan(cuts[pieces.from], cuts[pieces.to] - cuts[pieces.from]);
    };
    const auto b_of = [b, to_of, a_of, &cuts](const Range& pieces) {
      return b.subspan(pieces.from * kPiece - cuts[pieces.from],
                       to_of(pieces).size() - a_of(pieces).size());
    };
    const auto merge_one = [&](std::size_t number) {
      const Range one{number, number + 1};
      Merge<T>(a_of(one), b_of(one), to_of(one).data()).run(compare_);
    };
    std::vector<Piece> pieces(cuts.size() - 1);
    Scope scope(site_);
    scope.for_each(range(pieces.size()), elements_by_part<MYR_INOUT>(a_of, site_),
                   elements_by_part<MYR_INOUT>(b_of, site_),
                   elements_by_part<MYR_INOUT>(to_of, site_),
                   each_of<MYR_INOUT>(std::span(pieces), site_),
                   [&](std::size_t number) { pieces[number].run([&] { merge_one(number); }); });
    LastWait()(scope);
    Piece::finish(pieces, merge_one);
  }

  std::span<T> all_;
  Buffer<T> buffer_;
  const Compare& compare_;
  SortLeaf sort_leaf_;
  const void* site_;
};

template <class T, class Compare, class SortLeaf>
void sort_by(std::span<T> all, const Compare& compare, SortLeaf sort_leaf, const void* site) {
  constexpr std::size_t kLeafMin = 4096;
  constexpr unsigned kLevelsMax = 7;
  unsigned levels = 1;
  while (levels < kLevelsMax && all.size() >> (levels + 2) >= kLeafMin) levels += 2;
  if (all.size() >> levels < kLeafMin || !std::is_nothrow_move_constructible_v<T> ||
      !std::is_nothrow_move_assignable_v<T>) {
    wait(access_to<MYR_INOUT>(all, site));
    sort_leaf(all.begin(), all.end(), std::cref(compare));
    return;
  }
  const auto find_unsorted = [&](std::size_t from, std::size_t to) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(to);
    return from +
           static_cast<std::size_t>(std::is_sorted_until(first, last + 1, std::cref(compare)) -
                                    first) -
           1;
  };
  const std::size_t sorted =
      Search(all.size() - 1, {0}, find_unsorted).run(access_to<MYR_IN>(all, site), site);
  if (sorted + 1 < all.size()) MergeSort(all, compare, sort_leaf, site).run(levels);
}

}  // namespace detail

// As std::sort() and std::stable_sort(). sort() leaves equal elements in the same order on every
// machine. If a comparison throws, the elements are in any order, and none is lost but those that
// std::sort() itself loses, one for each 4,096 at most. Cost: as much memory again, except for
// fewer than 8,192 elements, which the caller sorts, as those whose move may throw. Sorted elements
// are only looked at.
template <detail::SideBySide V, class Compare = std::less<>>
  requires detail::Sortable<V, Compare>
void sort(V&& v, const Compare& compare = {}, const void* site = __builtin_source_location()) {
  detail::sort_by(
      detail::settled(v, site), compare,
      [](auto from, auto to, auto less) { std::sort(from, to, less); }, site);
}
template <detail::SideBySide V, class Compare = std::less<>>
  requires detail::Sortable<V, Compare>
void stable_sort(V&& v, const Compare& compare = {},
                 const void* site = __builtin_source_location()) {
  detail::sort_by(
      detail::settled(v, site), compare,
      [](auto from, auto to, auto less) { std::stable_sort(from, to, less); }, site);
}

}  // namespace myr::inline v0
