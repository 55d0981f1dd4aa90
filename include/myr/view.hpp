// SPDX-License-Identifier: Apache-2.0
//
// Part of loop.hpp: what a loop's body gets for in(a, part) and the like, so that it need not name
// `a` again. In a program that is compiled with MYR_CHECKED, in all its files, a view knows what
// each iteration has declared, and using anything else of `a` through it is misuse.
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <memory>
#include <myr/access.hpp>
#include <myr/range.hpp>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

// Planes of rows of `columns` elements, without gaps. in(cube) names all of them.
template <class T>
class Cube {
 public:
  Cube(T* first, std::size_t plane_count, std::size_t row_count, std::size_t column_count) noexcept
      : first_(first), planes_(plane_count), rows_(row_count), columns_(column_count) {}
  operator Cube<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {first_, planes_, rows_, columns_};
  }
  T& operator()(std::size_t plane, std::size_t row, std::size_t column) const noexcept {
    return first_[(plane * rows_ + row) * columns_ + column];
  }
  [[nodiscard]] T* data() const noexcept { return first_; }
  [[nodiscard]] std::size_t size() const noexcept {
    return detail::saturated_product(planes_, detail::saturated_product(rows_, columns_));
  }
  [[nodiscard]] std::size_t planes() const noexcept { return planes_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }

 private:
  T* first_;
  std::size_t planes_, rows_, columns_;
};
template <class T>
[[nodiscard]] Cube<T> cube(T* data, std::size_t planes, std::size_t rows,
                           std::size_t columns) noexcept {
  return {data, planes, rows, columns};
}

}  // namespace myr::inline v0

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<myr::Cube<T>> = true;

namespace myr::inline v0::detail {

template <class T>
struct ReadOnly<Cube<T>> {
  using Type = Cube<const T>;
};

#if defined(MYR_CHECKED)
inline constexpr bool is_checked = true;
#else
inline constexpr bool is_checked = false;
#endif

// What an iteration has declared of an array, in each direction: so many from these numbers on.
template <std::size_t N, bool kChecked>
struct Declared {
  constexpr Declared(const Range (&)[N], const myr_site*) noexcept {}
  constexpr void check(const std::size_t (&)[N]) const noexcept {}
};
template <std::size_t N>
class Declared<N, true> {
 public:
  constexpr Declared(const Range (&parts)[N], const myr_site* site) noexcept : site_(site) {
    for (std::size_t d = 0; d < N; ++d) parts_[d] = parts[d];
  }
  void check(const std::size_t (&numbers)[N]) const {
    for (std::size_t d = 0; d < N; ++d) {
      const Range part = parts_[d];  // of numbers that may be below 0, as unsigned ones
      if (numbers[d] - part.from >= part.to - part.from) {
        myr_outside_part_at(numbers[d], part.from, part.to, site_);
      }
    }
  }

 private:
  Range parts_[N];
  const myr_site* site_;
};

// Elements in N directions, those of the last one side by side.
template <class T, std::size_t N>
struct Shape {
  T* first;
  std::size_t extents[N];
  std::size_t strides[N];

  [[nodiscard]] std::size_t offset(const std::size_t (&numbers)[N]) const noexcept {
    std::size_t sum = numbers[N - 1];
    for (std::size_t d = 0; d + 1 < N; ++d) sum += numbers[d] * strides[d];
    return sum;
  }
};

// An array, by the numbers of its elements.
template <class T, bool kChecked>
class ArrayView : Declared<1, kChecked> {
 public:
  ArrayView(T* first, Range part, const myr_site* site) noexcept
      : Declared<1, kChecked>({part}, site), first_(first) {}
  template <Integer I>
  T& operator[](I number) const {
    this->check({static_cast<std::size_t>(number)});
    return first_[number];
  }

 private:
  T* first_;
};

// A matrix or a cube, by a number for each direction.
template <class T, std::size_t N, bool kChecked>
class GridView : Declared<N, kChecked> {
 public:
  GridView(const Shape<T, N>& all, const Range (&parts)[N], const myr_site* site) noexcept
      : Declared<N, kChecked>(parts, site), all_(all) {}
  template <Integer... I>
    requires(sizeof...(I) == N)
  T& operator()(I... numbers) const {
    const std::size_t places[N] = {static_cast<std::size_t>(numbers)...};
    this->check(places);
    return all_.first[all_.offset(places)];
  }

 private:
  Shape<T, N> all_;
};

// The objects, or regions, that belong to the iterations. Seen: what the body gets for a name.
template <class Seen, class Name>
decltype(auto) seen_as(const Name& name) noexcept {
  if constexpr (std::is_same_v<Name, Region>) {
    return Region(name);
  } else {
    return static_cast<Seen&>(*name);
  }
}
template <class Seen, class Name, std::size_t N, bool kChecked>
class EachView : Declared<N, kChecked> {
 public:
  // `origin`: which numbers the first name belongs to.
  EachView(const Shape<const Name, N>& names, const std::size_t (&origin)[N],
           const Range (&parts)[N], const myr_site* site) noexcept
      : Declared<N, kChecked>(parts, site), names_(names), origin_(names.offset(origin)) {}
  template <Integer I>
    requires(N == 1)
  decltype(auto) operator[](I number) const {
    return at({static_cast<std::size_t>(number)});
  }
  template <Integer... I>
    requires(sizeof...(I) == N && N > 1)
  decltype(auto) operator()(I... numbers) const {
    return at({static_cast<std::size_t>(numbers)...});
  }

 private:
  decltype(auto) at(const std::size_t (&numbers)[N]) const {
    this->check(numbers);
    return seen_as<Seen>(names_.first[names_.offset(numbers) - origin_]);
  }

  Shape<const Name, N> names_;
  std::size_t origin_;
};

}  // namespace myr::inline v0::detail
