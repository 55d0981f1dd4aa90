// SPDX-License-Identifier: Apache-2.0
//
// Part of loop.hpp: how the numbers of a loop, or pairs or triples of them, become the numbers that
// the runtime cuts into parts, and back. Pairs and triples are cut into tiles, and a loop over the
// numbers of the tiles runs.
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <myr/memory.hpp>
#include <myr/range.hpp>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

namespace detail {

// Attributes.
struct Grain {
  std::size_t iterations;
};
template <std::size_t N>
struct TileSize {
  std::size_t edges[N];
};

// How a body is called: once for each iteration, or for some at once. `Own`: the types of what it
// gets behind the numbers.
template <class Body, class R, class... Own>
struct TakesNumbers;
template <class Body, class I, class... Own>
struct TakesNumbers<Body, IndexRange<I>, Own...> : std::is_invocable<const Body&, I, Own&...> {};
template <class Body, class... I, class... Own>
struct TakesNumbers<Body, Box<I...>, Own...> : std::is_invocable<const Body&, I..., Own&...> {};
// With numbers, or a part of the loop, and the values of reductions only? The numbers first: a
// generic lambda that takes one may be no more than an error with a range.
template <class Body, class R, class... Own>
constexpr bool takes_plainly =
    std::disjunction_v<TakesNumbers<Body, R, Own...>, std::is_invocable<const Body&, R, Own&...>>;
// A body that takes them at once sees which numbers are in a part; tiles are always the same.
template <class Body, class R, class... Own>
constexpr bool sees_cut = rank_of<R> == 1 && !TakesNumbers<Body, R, Own...>::value;
template <class Body, class R, class... Own>
constexpr bool check_body() {
  constexpr bool takes = takes_plainly<Body, R, Own...>;
  static_assert(takes,
                "the last argument of a loop is its body, which takes an index, or one for each "
                "range, or a Range (of signed numbers an IndexRange), and a T& for each reduce(); "
                "it is called in several places at once, so it cannot be a mutable lambda");
  return takes;
}

// A small body is copied to the stack: so the compiler knows that what the iterations write is no
// part of it.
template <class Body, class R, class... Own>
void run_iterations(const Body& body, const R& some, Own&... own) {
  const auto run_with = [&](const Body& code) {
    if constexpr (TakesNumbers<Body, R, Own...>::value) {
      for_numbers(some, code, own...);
    } else {
      code(some, own...);
    }
  };
  if constexpr (std::is_trivially_copyable_v<Body> && sizeof(Body) <= 256) {
    const Body copy = body;
    run_with(copy);
  } else {
    run_with(body);
  }
}

// The numbers of one range. If the first is below 0, the runtime knows it as 0.
template <class I>
class Line {
 public:
  explicit constexpr Line(const IndexRange<I>& all) noexcept : all_(all) {}

  [[nodiscard]] const IndexRange<I>& all() const noexcept { return all_; }
  [[nodiscard]] std::size_t origin() const noexcept {
    return all_.from < 0 ? 0 - static_cast<std::size_t>(all_.from) : 0;
  }
  [[nodiscard]] Range numbers() const noexcept {
    const std::size_t first = static_cast<std::size_t>(all_.from) + origin();
    return {first, first + all_.size()};
  }
  // Calls the body for these; `own`: what it gets behind the numbers.
  template <class Body, class... Own>
  void run(Range numbers, const Body& body, Own&... own) const {
    run_iterations(body, part_of(numbers), own...);
  }
  // What they use; see PartAccess.
  template <class Footprint>
  std::size_t put(const Footprint& footprint, Range numbers, myr_access* next) const {
    return footprint(part_of(numbers), next);
  }

 private:
  [[nodiscard]] IndexRange<I> part_of(Range numbers) const noexcept {
    return {static_cast<I>(numbers.from - origin()), static_cast<I>(numbers.to - origin())};
  }

  IndexRange<I> all_;
};

// The tiles of a box, numbered row by row.
template <class R>
class Grid {
 public:
  static constexpr std::size_t kRank = rank_of<R>;

  Grid(const R& all, const TileSize<kRank>& size) noexcept : all_(all), size_(size) {
    each_side([&](auto d) {
      const std::size_t length = side<d()>(all_).size();
      counts_[d()] = length / size_.edges[d()] + (length % size_.edges[d()] != 0 ? 1 : 0);
    });
  }

  [[nodiscard]] const R& all() const noexcept { return all_; }
  [[nodiscard]] Range numbers() const noexcept { return {0, tiles_below(0)}; }
  // As of a Line, tile by tile.
  template <class Body, class... Own>
  void run(Range numbers, const Body& body, Own&... own) const {
    for (const std::size_t number : numbers)
      run_iterations(body, box(number, kRank - 1, 1), own...);
  }
  // Puts the accesses of a few boxes that together are these tiles: whole layers of them where
  // there are some, and what is before and behind these.
  template <class Footprint>
  std::size_t put(const Footprint& footprint, Range numbers, myr_access* next) const {
    std::size_t count = 0;
    while (numbers.size() != 0) {
      std::size_t d = 0;
      while (numbers.from % tiles_below(d + 1) != 0 || numbers.size() < tiles_below(d + 1)) ++d;
      const std::size_t in_one = tiles_below(d + 1);
      const std::size_t left = counts_[d] - numbers.from / in_one % counts_[d];
      const std::size_t wanted = numbers.size() / in_one;
      const std::size_t layers = wanted < left ? wanted : left;
      const std::size_t some = footprint(box(numbers.from, d, layers), next);
      if (next != nullptr) next += some;
      count = saturated_sum(count, some);
      numbers.from += layers * in_one;
    }
    return count;
  }

 private:
  template <class Use>
  static constexpr void each_side(const Use& use) {
    [&]<std::size_t... D>(std::index_sequence<D...>) {
      (use(std::integral_constant<std::size_t, D>()), ...);
    }(std::make_index_sequence<kRank>());
  }
  // How many tiles have the same numbers in all directions before this one.
  [[nodiscard]] std::size_t tiles_below(std::size_t direction) const noexcept {
    std::size_t count = 1;
    for (std::size_t d = direction; d < kRank; ++d) count = saturated_product(count, counts_[d]);
    return count;
  }
  // From tile `number` on so many layers in this direction, and all there is in the further ones.
  [[nodiscard]] R box(std::size_t number, std::size_t direction,
                      std::size_t layers) const noexcept {
    Range tiles[kRank];
    for (std::size_t d = kRank; d-- > 0;) {
      const std::size_t first = number % counts_[d];
      number /= counts_[d];
      tiles[d] = d > direction ? Range{0, counts_[d]}
                               : Range{first, first + (d == direction ? layers : 1)};
    }
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      return R{cut(side<D>(all_), tiles[D], size_.edges[D], counts_[D])...};
    }(std::make_index_sequence<kRank>());
  }
  template <class I>
  static IndexRange<I> cut(const IndexRange<I>& all, Range tiles, std::size_t edge,
                           std::size_t count) noexcept {
    const auto first = static_cast<std::size_t>(all.from);
    return {static_cast<I>(first + tiles.from * edge),
            tiles.to >= count ? all.to : static_cast<I>(first + tiles.to * edge)};
  }

  R all_;
  TileSize<kRank> size_;
  std::size_t counts_[kRank];  // of tiles, in each direction
};

// What a loop's attributes say. N: for how many ranges they give the size of tiles.
template <std::size_t N>
struct Cut {
  std::size_t grain = 0;
  TileSize<N == 0 ? 1 : N> tiles = {};
};
template <std::size_t N, class I>
Line<I> space_of(const Cut<N>&, const IndexRange<I>& all) noexcept {
  static_assert(N == 0, "tiles() is for loops over two or three ranges: write grain(n)");
  return Line<I>(all);
}
template <std::size_t N, class... I>
Grid<Box<I...>> space_of(const Cut<N>& cut, const Box<I...>& all) noexcept {
  constexpr std::size_t kRank = sizeof...(I);
  static_assert(N == 0 || N == kRank, "tiles() has a number for each range of the loop");
  if constexpr (N == kRank) {
    return {all, cut.tiles};
  } else if constexpr (kRank == 2) {
    return {all, {{64, 64}}};
  } else {
    return {all, {{8, 8, 64}}};
  }
}

}  // namespace detail

// No part has fewer iterations, or tiles, unless the loop has.
[[nodiscard]] constexpr detail::Grain grain(std::size_t iterations) noexcept {
  return {iterations == 0 ? 1 : iterations};
}
// The size of a tile, in each direction of a loop over two or three ranges.
template <class... N>
  requires(sizeof...(N) > 1 && (... && std::is_convertible_v<N, std::size_t>))
[[nodiscard]] constexpr detail::TileSize<sizeof...(N)> tiles(N... edges) noexcept {
  return {{(edges == 0 ? std::size_t{1} : static_cast<std::size_t>(edges))...}};
}

}  // namespace myr::inline v0
