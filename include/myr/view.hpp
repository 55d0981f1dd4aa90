// SPDX-License-Identifier: Apache-2.0
//
// Of loop.hpp: what a loop's body gets for in(a, part) and the like, so that it need not name `a`
// again. In a program that is compiled with MYR_CHECKED, in all its files, a view knows what each
// iteration has declared, and using anything else of `a` through it is misuse.
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <memory>
#include <myr/access.hpp>
#include <type_traits>

namespace myr {

// Numbers from..to-1; `for (std::size_t i : range)` goes through them.
struct Range {
  std::size_t from = 0;
  std::size_t to = 0;

  struct Iterator {
    std::size_t i;
    constexpr std::size_t operator*() const noexcept { return i; }
    constexpr Iterator& operator++() noexcept {
      ++i;
      return *this;
    }
    constexpr bool operator!=(Iterator other) const noexcept { return i != other.i; }
  };
  [[nodiscard]] constexpr Iterator begin() const noexcept { return {from}; }
  [[nodiscard]] constexpr Iterator end() const noexcept { return {to < from ? from : to}; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return to < from ? 0 : to - from; }
  [[nodiscard]] constexpr Range moved_back(std::size_t by) const noexcept {
    return {from - by, to - by};
  }
};
// The numbers from `from` to `to` - 1, of any integer type; negative ones count as 0.
template <class From, class To>
  requires std::is_integral_v<From> && std::is_integral_v<To>
[[nodiscard]] constexpr Range range(From from, To to) noexcept {
  return {from < 0 ? 0 : static_cast<std::size_t>(from), to < 0 ? 0 : static_cast<std::size_t>(to)};
}
template <class To>
  requires std::is_integral_v<To>
[[nodiscard]] constexpr Range range(To to) noexcept {
  return range(0, to);
}

namespace detail {

#if defined(MYR_CHECKED)
inline constexpr bool is_checked = true;
#else
inline constexpr bool is_checked = false;
#endif

// What an iteration has declared of an array, or of a direction of a matrix.
template <bool kChecked>
class Declared {
 public:
  constexpr Declared(Range, const myr_site*) noexcept {}
  constexpr void check(std::size_t) const noexcept {}
};
template <>
class Declared<true> {
 public:
  constexpr Declared(Range part, const myr_site* site) noexcept : part_(part), site_(site) {}
  void check(std::size_t number) const {
    if (number < part_.from || number >= part_.to) {
      myr_outside_part_at(number, part_.from, part_.to, site_);
    }
  }

 private:
  Range part_;
  const myr_site* site_;
};

// An array, by the numbers of its elements.
template <class T, bool kChecked>
class ArrayView : Declared<kChecked> {
 public:
  ArrayView(T* first, Range part, const myr_site* site) noexcept
      : Declared<kChecked>(part, site), first_(first) {}
  T& operator[](std::size_t number) const {
    this->check(number);
    return first_[number];
  }

 private:
  T* first_;
};

// A matrix, by rows and columns.
template <class T, bool kChecked>
class MatrixView {
 public:
  MatrixView(Tile<T> all, Range rows, Range columns, const myr_site* site) noexcept
      : all_(all), rows_(rows, site), columns_(columns, site) {}
  T& operator()(std::size_t row, std::size_t column) const {
    rows_.check(row);
    columns_.check(column);
    return all_(row, column);
  }

 private:
  Tile<T> all_;
  [[no_unique_address]] Declared<kChecked> rows_;
  [[no_unique_address]] Declared<kChecked> columns_;
};

// The objects, or regions, that belong to the iterations. Seen: what the body gets of an Object.
template <class Seen, class Object, bool kChecked>
class EachView : Declared<kChecked> {
 public:
  using Name = std::conditional_t<std::is_same_v<Seen, Region>, Region, Object*>;
  // `offset`: which iteration the first name belongs to.
  EachView(const Name* names, std::size_t offset, Range part, const myr_site* site) noexcept
      : Declared<kChecked>(part, site), names_(names), offset_(offset) {}
  decltype(auto) operator[](std::size_t iteration) const {
    this->check(iteration);
    if constexpr (std::is_same_v<Seen, Region>) {
      return names_[iteration - offset_];
    } else {
      return static_cast<Seen&>(*names_[iteration - offset_]);
    }
  }

 private:
  const Name* names_;
  std::size_t offset_;
};

// The same of a matrix of them.
template <class Seen, class Name, bool kChecked>
class EachMatrixView {
 public:
  // `names`: from this row and column on.
  EachMatrixView(Tile<Name> names, std::size_t first_row, std::size_t first_column, Range rows,
                 Range columns, const myr_site* site) noexcept
      : names_(names),
        first_row_(first_row),
        first_column_(first_column),
        rows_(rows, site),
        columns_(columns, site) {}
  decltype(auto) operator()(std::size_t row, std::size_t column) const {
    rows_.check(row);
    columns_.check(column);
    const Name& name = names_(row - first_row_, column - first_column_);
    if constexpr (std::is_same_v<Seen, Region>) {
      return Region(name);
    } else {
      return static_cast<Seen&>(*name);
    }
  }

 private:
  Tile<Name> names_;
  std::size_t first_row_, first_column_;
  [[no_unique_address]] Declared<kChecked> rows_;
  [[no_unique_address]] Declared<kChecked> columns_;
};

}  // namespace detail

}  // namespace myr
