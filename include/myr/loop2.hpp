// SPDX-License-Identifier: Apache-2.0
//
// Loops over two numbers, of myr.hpp: the pairs are cut into tiles, and a loop over the tiles runs,
// as in loop.hpp. docs/user/loops.md explains it.
//
// clang-format off
//   myr::for_each(myr::Range2{{0, n}, {0, m}}, myr::in(a, myr::part2.grow(1)),
//                 myr::out(b, myr::part2),
//                 [=](std::size_t i, std::size_t j) { b(i, j) = a(i, j); });
//
//   argument                       what some rows and columns use, of a matrix t = tile(...)
//   in(t, part2)                   these rows and columns
//   in(t, part2.grow(1))           one more on each side; never past the ends of the matrix
//   in(t, part2.whole_rows())      all columns of these rows
//   in(t, part2.whole_columns())   all rows of these columns
//   in(each(t), part2)             the objects that these elements point to, or the regions there
//   in(x, part), in(x), ...        as in loop.hpp, where part stands for the rows
//   tiles(rows, columns)           the size of a tile; without it, 64 by 64
//   grain(n)                       parts have at least n tiles
//   body                           called as body(i, j), or as body(Range2), which runs a tile
// clang-format on
#pragma once

#include <myr/cxx20.hpp>

#include <memory>
#include <myr/loop.hpp>
#include <myr/operations.hpp>

namespace myr {

// Pairs of a row and a column.
struct Range2 {
  Range rows;
  Range columns;
};

// In place of the pairs of a part, in accesses of a loop over a Range2.
struct Part2 {
  Part rows;
  Part columns;
  // So many more on each side, or rows above and below and columns left and right.
  [[nodiscard]] constexpr Part2 grow(std::size_t all) const noexcept { return grow(all, all); }
  [[nodiscard]] constexpr Part2 grow(std::size_t more_rows,
                                     std::size_t more_columns) const noexcept {
    return {rows.grow(more_rows), columns.grow(more_columns)};
  }
  [[nodiscard]] constexpr Part2 whole_rows() const noexcept { return {rows, kAll}; }
  [[nodiscard]] constexpr Part2 whole_columns() const noexcept { return {kAll, columns}; }

 private:
  static constexpr Part kAll{~std::size_t{0}, ~std::size_t{0}};
};
inline constexpr Part2 part2{};

namespace detail {

struct TileSize {
  std::size_t rows = 64;
  std::size_t columns = 64;
};

// The tiles of a range, numbered row by row.
class Grid {
 public:
  Grid(Range2 all, TileSize size) noexcept
      : all_(all), size_(size), across_(count(all.columns, size.columns)) {}

  [[nodiscard]] Range2 all() const noexcept { return all_; }
  [[nodiscard]] Range numbers() const noexcept {
    return {0, saturated_product(across_, count(all_.rows, size_.rows))};
  }
  [[nodiscard]] Range2 tile(std::size_t number) const noexcept {
    return box({number / across_, number / across_ + 1}, {number % across_, number % across_ + 1});
  }
  // Calls use(Range2) for at most three that together are these tiles: the end of a row of tiles,
  // whole rows, and the begin of one.
  template <class Use>
  void for_boxes(Range numbers, Use use) const {
    while (numbers.size() != 0) {
      const std::size_t row = numbers.from / across_;
      const std::size_t first = numbers.from % across_;
      const bool is_whole = first == 0 && numbers.size() >= across_;
      const std::size_t rows = is_whole ? numbers.size() / across_ : 1;
      const std::size_t left = across_ - first;
      const std::size_t some = numbers.size() < left ? numbers.size() : left;
      use(box({row, row + rows}, {first, is_whole ? across_ : first + some}));
      numbers.from += is_whole ? rows * across_ : some;
    }
  }

 private:
  static std::size_t count(Range range, std::size_t edge) noexcept {
    return range.size() / edge + (range.size() % edge != 0 ? 1 : 0);
  }
  static Range cut(Range all, Range tiles, std::size_t edge) noexcept {
    const bool reaches_end = tiles.to >= count(all, edge);
    return {all.from + tiles.from * edge, reaches_end ? all.to : all.from + tiles.to * edge};
  }
  [[nodiscard]] Range2 box(Range rows, Range columns) const noexcept {
    return {cut(all_.rows, rows, size_.rows), cut(all_.columns, columns, size_.columns)};
  }

  Range2 all_;
  TileSize size_;
  std::size_t across_;  // tiles in a row of them
};

// An access of a loop: `footprint(box, next)` counts, and writes if next is not nullptr.
template <class Footprint, bool kOwners>
struct Part2Access {
  Footprint footprint;
  const myr_site* site;
  template <class Other>
  [[nodiscard]] Part2Access<Other, kOwners> with(Other other) const {
    return {std::move(other), site};
  }
};
template <class A>
inline constexpr bool is_part2_access = false;
template <class F, bool kOwners>
inline constexpr bool is_part2_access<Part2Access<F, kOwners>> = true;
template <class F, bool kOwners>
inline constexpr bool names_owners<Part2Access<F, kOwners>> = kOwners;

template <class T>
struct Each2 {
  Tile<T> pointers;
};

// The rows and columns of the matrix that the pairs use.
template <class T>
Range2 part_of(const Tile<T>& all, Part2 which, Range2 box) noexcept {
  return {which.rows.of(box.rows, all.rows), which.columns.of(box.columns, all.columns)};
}
template <class T>
Tile<T> rectangle(const Tile<T>& all, Range2 which) noexcept {
  const std::size_t first =
      saturated_sum(saturated_product(which.rows.from, all.stride), which.columns.from);
  return {element_at(all.data, first), which.rows.size(), which.columns.size(), all.stride};
}

template <unsigned Mode, class M>
struct Part2Footprint;
template <unsigned Mode, class T>
struct Part2Footprint<Mode, Tile<T>> {
  using Element = T;
  Tile<T> all;
  Part2 which;

  std::size_t operator()(Range2 box, myr_access* next) const noexcept {
    const Tile<T> used = rectangle(all, part_of(all, which, box));
    return put_access(TileAccess<T>{used, Mode, nullptr}, next);
  }
  [[nodiscard]] auto view(Range2 box, const myr_site* site) const noexcept {
    const Range2 used = part_of(all, which, box);
    return MatrixView<Shown<Mode, T>, is_checked>({all.data, all.rows, all.columns, all.stride},
                                                  used.rows, used.columns, site);
  }
};

template <unsigned Mode, class Handle, class T>
std::size_t put_all_behind(const Tile<T>& names, myr_access* next) noexcept {
  for (std::size_t i = 0; next != nullptr && i < names.rows; ++i) {
    put_behind<Mode, Handle>(names.data + i * names.stride, {0, names.columns}, next);
    next += names.columns;
  }
  return saturated_product(names.rows, names.columns);
}
// See KeptEach.
template <unsigned Mode, class Handle, class Footprint, class T>
struct KeptEach2 {
  Footprint each;
  Range2 kept;
  std::unique_ptr<T[]> names;

  std::size_t operator()(Range2 box, myr_access* next) const noexcept {
    const Range2 used = each.used(box);
    const Tile<T> all{names.get(), kept.rows.size(), kept.columns.size(), kept.columns.size()};
    return put_all_behind<Mode, Handle>(
        rectangle(all, {used.rows.moved_back(kept.rows.from),
                        used.columns.moved_back(kept.columns.from)}),
        next);
  }
  [[nodiscard]] auto view(Range2 box, const myr_site* site) const noexcept {
    using Object = std::remove_pointer_t<T>;
    using Seen = std::conditional_t<std::is_same_v<T, Region>, Region, Shown<Mode, Object>>;
    const Tile<T> all{names.get(), kept.rows.size(), kept.columns.size(), kept.columns.size()};
    return EachMatrixView<Seen, T, is_checked>(all, kept.rows.from, kept.columns.from,
                                               each.used(box).rows, each.used(box).columns, site);
  }
};
template <unsigned Mode, class T>
struct Part2Footprint<Mode, Each2<T>> {
  using Element = std::remove_reference_t<decltype(behind_handle(std::declval<T&>()))>;
  Each2<T> all;
  Part2 which;

  std::size_t operator()(Range2 box, myr_access* next) const noexcept {
    return put_all_behind<Mode, std::remove_cv_t<T>>(rectangle(all.pointers, used(box)), next);
  }
  [[nodiscard]] Range2 used(Range2 box) const noexcept { return part_of(all.pointers, which, box); }
  [[nodiscard]] auto keep(Range2 box) const {
    const Range2 kept = used(box);
    const std::size_t columns = kept.columns.size();
    std::unique_ptr<Named<T>[]> names(new Named<T>[saturated_product(kept.rows.size(), columns)]);
    for (const std::size_t i : kept.rows) {
      for (const std::size_t j : kept.columns) {
        names[(i - kept.rows.from) * columns + j - kept.columns.from] = name_of(all.pointers(i, j));
      }
    }
    return KeptEach2<Mode, std::remove_cv_t<T>, Part2Footprint, Named<T>>{*this, kept,
                                                                          std::move(names)};
  }
};
template <class M>
concept Matrix = requires { typename Part2Footprint<MYR_IN, M>::Element; };

template <>
inline constexpr bool is_part<Part2> = true;
template <>
struct PartAccesses<Part2> {
  template <unsigned kMode, Matrix M>
  static auto make(const M& all, Part2 which, const myr_site* site) noexcept {
    using Footprint = Part2Footprint<kMode, M>;
    return Part2Access<Footprint, IsOwner<typename Footprint::Element>::value>{{all, which}, site};
  }
};

// The argument for the loop over the tiles' numbers.
template <class A>
auto over_tiles(const Grid& grid, A argument) {
  if constexpr (is_part2_access<A> || is_part_access<A>) {
    const myr_site* site = argument.site;
    auto footprint = [grid, argument = std::move(argument)](Range numbers, myr_access* next) {
      std::size_t count = 0;
      grid.for_boxes(numbers, [&](Range2 box) {
        std::size_t some = 0;
        if constexpr (is_part2_access<A>) {
          some = argument.footprint(box, next);
        } else {
          some = argument.footprint(box.rows, next);
        }
        if (next != nullptr) next += some;
        count = saturated_sum(count, some);
      });
      return count;
    };
    return PartAccess<decltype(footprint), names_owners<A>>{std::move(footprint), site};
  } else {
    return argument;
  }
}

template <class Body>
auto each_tile(const Grid& grid, Body body) {
  return [grid, body = std::move(body)](Range numbers, auto&... own)
    requires std::is_invocable_v<const Body&, std::size_t, std::size_t, decltype(own)...> ||
             std::is_invocable_v<const Body&, Range2, decltype(own)...>
  {
    for (const std::size_t number : numbers) {
      const Range2 tile = grid.tile(number);
      if constexpr (std::is_invocable_v<const Body&, std::size_t, std::size_t, decltype(own)...>) {
        for (std::size_t i = tile.rows.from; i < tile.rows.to; ++i) {
          for (std::size_t j = tile.columns.from; j < tile.columns.to; ++j) body(i, j, own...);
        }
      } else {
        body(tile, own...);
      }
    }
  };
}

// What a sum over pairs adds: the body's own value for a pair, or for a tile.
template <class Body, class T, class Op>
auto reducing2(Body body, const Reduction<T, Op>& into) {
  if constexpr (std::is_invocable_v<const Body&, Range2>) {
    return [body = std::move(body), op = into.into.op](Range2 tile, T& own) {
      combine(op, own, body(tile));
    };
  } else {
    return [body = std::move(body), op = into.into.op](std::size_t i, std::size_t j, T& own)
      requires std::is_invocable_v<const Body&, std::size_t, std::size_t>
    { combine(op, own, body(i, j)); };
  }
}

template <class A>
void note_tile_size(const A& argument, TileSize& size) noexcept {
  if constexpr (std::is_same_v<A, TileSize>) size = argument;
}

// A loop's arguments but for the size of tiles, which is none of the loop over their numbers.
template <class A>
auto as_loop_argument(const Grid& grid, A&& argument) {
  using Plain = std::decay_t<A>;
  if constexpr (std::is_same_v<Plain, TileSize>) {
    return std::tuple<>();
  } else {
    auto own = [&] {
      if constexpr (is_part_access<Plain>) {
        return kept(std::forward<A>(argument), grid.all().rows);
      } else {
        return kept(std::forward<A>(argument), grid.all());
      }
    }();
    auto converted = over_tiles(grid, std::move(own));
    return std::tuple<decltype(converted)>(std::move(converted));
  }
}

// `code` makes the body of the loop over tiles of the user's, which is the last argument.
template <class Code, class Tuple, std::size_t... I>
void spawn_tiles(Range2 range, const Code& code, Tuple&& all, std::index_sequence<I...>) {
  TileSize size;
  (note_tile_size(std::get<I>(all), size), ...);
  const Grid grid(range, size);
  auto body = each_tile(
      grid, code(std::get<sizeof...(I)>(std::move(all)), std::as_const(std::get<I>(all))...));
  std::apply(
      [&](auto&&... argument) {
        spawn_loop(grid.numbers(), std::move(body), std::move(argument)...);
      },
      std::tuple_cat(as_loop_argument(grid, std::get<I>(std::move(all)))...));
}

template <class... A>
void loop_over(Range2 range, A&&... arguments) {
  spawn_tiles(
      range,
      [range](auto&& body, const auto&... others) {
        return with_views(range, std::forward<decltype(body)>(body), others...);
      },
      std::forward_as_tuple(std::forward<A>(arguments)...),
      std::make_index_sequence<sizeof...(A) - 1>());
}
template <class T, class Op, class... A>
void reduce_over(Range2 range, Reduction<T, Op> into, A&&... arguments) {
  const auto code = [&](auto&& body, const auto&, const auto&... others) {
    using Body = std::decay_t<decltype(body)>;
    if constexpr (wants_views_into<Body, Range2, std::remove_cvref_t<decltype(others)>...>()) {
      return with_views_into(range, std::forward<decltype(body)>(body), into, others...);
    } else {
      return reducing2(Body(std::forward<decltype(body)>(body)), into);
    }
  };
  spawn_tiles(range, code, std::forward_as_tuple(into, std::forward<A>(arguments)...),
              std::make_index_sequence<sizeof...(A)>());
}

}  // namespace detail

// The objects that the elements of a matrix point to, or the regions that they are: for
// in(each(tile(pointers, ...)), part2).
template <class T>
[[nodiscard]] auto each(const Tile<T>& pointers) noexcept {
  return detail::Each2<T>{pointers};
}

[[nodiscard]] constexpr detail::TileSize tiles(std::size_t rows, std::size_t columns) noexcept {
  return {rows == 0 ? 1 : rows, columns == 0 ? 1 : columns};
}

// for_each() for each pair of a row and a column, tile by tile.
template <class... A>
void for_each(Range2 range, A&&... arguments) {
  detail::check_arguments<A...>();
  if constexpr (sizeof...(A) > 0) detail::loop_over(range, std::forward<A>(arguments)...);
}

// reduce_each() for each pair: x becomes op(x, body(i, j)).
template <class T, class Op, class... A>
void reduce_each(Range2 range, detail::Reduction<T, Op> into, A&&... arguments) {
  detail::check_arguments<A...>();
  if constexpr (sizeof...(A) > 0) {
    detail::reduce_over(range, std::move(into), std::forward<A>(arguments)...);
  }
}

}  // namespace myr
