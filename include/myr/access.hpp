// SPDX-License-Identifier: Apache-2.0
//
// What tasks and waits declare: a part of myr.hpp.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <myr/memory.hpp>
#include <myr/owner.hpp>
#include <myr/region.hpp>
#include <source_location>
#include <type_traits>
#include <utility>

namespace myr {

// A rectangle of a row-major matrix: rows of `columns` elements, `stride` elements apart.
template <class T>
struct Tile {
  T* data;
  std::size_t rows;
  std::size_t columns;
  std::size_t stride;
  T& operator()(std::size_t row, std::size_t column) const noexcept {
    return data[row * stride + column];
  }
};
template <class T>
[[nodiscard]] Tile<T> tile(T* data, std::size_t rows, std::size_t columns,
                           std::size_t stride) noexcept {
  return {data, rows, columns, stride};
}
namespace detail {

// An argument with declared accesses. `Passed` is what the task's function receives.
template <class Passed>
struct Access {
  Passed passed;
  myr_access access;
  const myr_site* site;
};
template <class T>
struct Reference {
  T* pointer;
};
template <class T>
struct TileAccess {
  Tile<T> passed;
  unsigned flags;
  const myr_site* site;
};

template <unsigned Mode, class T>
auto make_access(T& value, const void* where) noexcept {
  const auto* site = static_cast<const myr_site*>(where);
  using Plain = std::remove_cv_t<T>;
  if constexpr (requires { value.template declared<Mode>(site); }) {
    return value.template declared<Mode>(site);  // of a Future
  } else if constexpr (std::is_base_of_v<Region, Plain>) {
    return Access<Region>{value, myr_region_access(value.id(), Mode), site};
  } else if constexpr (std::is_pointer_v<Plain>) {
    using Element = std::remove_pointer_t<Plain>;
    constexpr std::size_t bytes = std::is_void_v<Element> ? 0 : sizeof(*value);
    return Access<Plain>{value, myr_make_access(value, bytes, Mode | MYR_WHOLE), site};
  } else {
    using Target = std::conditional_t<Mode == MYR_IN, const T, T>;
    return Access<Reference<Target>>{
        {std::addressof(value)}, myr_make_access(std::addressof(value), sizeof(T), Mode), site};
  }
}
template <unsigned Mode, class T>
Access<T*> make_range(T* first, std::size_t count, const void* site) noexcept {
  const auto access =
      myr_make_access(count == 0 ? nullptr : first, bytes_of(count, sizeof(T)), Mode);
  return {first, access, static_cast<const myr_site*>(site)};
}

// How spawn() and wait() handle one argument: `Stored` is kept in the task, fill() writes count()
// accesses, and pass() turns what is stored into what the function receives.
template <class A>
struct Argument {
  using Stored = std::decay_t<A>;
  static std::size_t count(const A&) noexcept { return 0; }
  static const myr_site* site(const A&) noexcept { return nullptr; }
  static void fill(const A&, myr_access*&) noexcept {}
  template <class U>
  static U&& store(U&& value) noexcept {
    return std::forward<U>(value);
  }
  static Stored&& pass(Stored& stored) noexcept { return std::move(stored); }
};
template <class P>
struct Argument<Access<P>> {
  using Stored = P;
  static std::size_t count(const Access<P>&) noexcept { return 1; }
  static const myr_site* site(const Access<P>& a) noexcept { return a.site; }
  static void fill(const Access<P>& a, myr_access*& next) noexcept { *next++ = a.access; }
  static P store(const Access<P>& a) noexcept { return a.passed; }
  static P pass(P stored) noexcept { return stored; }
};
template <class T>
struct Argument<Access<Reference<T>>> {
  using A = Access<Reference<T>>;
  using Stored = T*;
  static std::size_t count(const A&) noexcept { return 1; }
  static const myr_site* site(const A& a) noexcept { return a.site; }
  static void fill(const A& a, myr_access*& next) noexcept { *next++ = a.access; }
  static T* store(const A& a) noexcept { return a.passed.pointer; }
  static T& pass(T* stored) noexcept { return *stored; }
};
template <class T>
struct Argument<TileAccess<T>> {
  using A = TileAccess<T>;
  using Stored = Tile<T>;
  static bool dense(const A& a) noexcept { return a.passed.stride == a.passed.columns; }
  static std::size_t count(const A& a) noexcept { return dense(a) ? 1 : a.passed.rows; }
  static const myr_site* site(const A& a) noexcept { return a.site; }
  static void fill(const A& a, myr_access*& next) noexcept {
    const Tile<T>& t = a.passed;
    const std::size_t ranges = count(a);
    const std::size_t row_bytes = bytes_of(t.columns, sizeof(T));
    const std::size_t bytes = dense(a) ? bytes_of(t.rows, row_bytes) : row_bytes;
    for (std::size_t row = 0; row < ranges; ++row) {
      const T* const first = element_at(t.data, saturated_product(row, t.stride));
      *next++ = myr_make_access(bytes == 0 ? nullptr : first, bytes, a.flags);
    }
  }
  static Tile<T> store(const A& a) noexcept { return a.passed; }
  static Tile<T> pass(Tile<T> stored) noexcept { return stored; }
};
template <class T, class Op>
struct Reduction;  // of reduction.hpp
template <class T, class Op>
struct Combination;  // of reduction.hpp
template <class A>
inline constexpr bool is_reduction = false;
template <class T, class Op>
inline constexpr bool is_reduction<Reduction<T, Op>> = true;
template <class A>
using ArgumentOf = Argument<std::remove_cvref_t<A>>;

// Does an access name objects that may own others?
template <class A>
inline constexpr bool names_owners = false;
template <class T>
inline constexpr bool names_owners<Access<T*>> = IsOwner<T>::value;
template <class T>
inline constexpr bool names_owners<Access<Reference<T>>> = IsOwner<T>::value;
template <class T>
inline constexpr bool names_owners<TileAccess<T>> = IsOwner<T>::value;

template <class T>
inline constexpr bool is_shared = false;  // for the messages of in(), out() and inout()

template <class A>
inline constexpr bool is_access = false;
template <class P>
inline constexpr bool is_access<Access<P>> = true;
template <class T>
inline constexpr bool is_access<TileAccess<T>> = true;
template <class Footprint, bool kOwners>
struct PartAccess;  // of loop.hpp
template <class A>
inline constexpr bool is_part_access = false;
template <class F, bool kOwners>
inline constexpr bool is_part_access<PartAccess<F, kOwners>> = true;

inline const myr_site* first_site() noexcept { return nullptr; }
template <class... Rest>
const myr_site* first_site(const myr_site* site, Rest... rest) noexcept {
  return site != nullptr ? site : first_site(rest...);
}

}  // namespace detail

// Declare how a task, or a wait, uses an argument. See the table at the head of this file.
template <class T>
[[nodiscard]] auto in(T& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_IN>(x, site);
}
template <class T>
[[nodiscard]] auto in(T* const&& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_IN>(x, site);
}
template <class T>
[[nodiscard]] auto in(const T&& x, const void* site = __builtin_source_location()) noexcept {
  static_assert(detail::is_shared<T>,
                "a temporary is gone before the task runs: declare a variable");
  return detail::make_access<MYR_IN>(x, site);
}
[[nodiscard]] inline auto in(Region&& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_IN>(x, site);
}
template <class T>
[[nodiscard]] auto in(T* first, std::size_t count,
                      const void* site = __builtin_source_location()) noexcept {
  return detail::make_range<MYR_IN>(first, count, site);
}
template <class T>
[[nodiscard]] auto in(Tile<T> t, const void* site = __builtin_source_location()) noexcept {
  return detail::TileAccess<T>{t, MYR_IN, static_cast<const myr_site*>(site)};
}
template <class T>
[[nodiscard]] auto out(T& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_OUT>(x, site);
}
template <class T>
[[nodiscard]] auto out(T* const&& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_OUT>(x, site);
}
template <class T>
[[nodiscard]] auto out(const T&& x, const void* site = __builtin_source_location()) noexcept {
  static_assert(detail::is_shared<T>,
                "a temporary is gone before the task runs: declare a variable");
  return detail::make_access<MYR_OUT>(x, site);
}
[[nodiscard]] inline auto out(Region&& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_OUT>(x, site);
}
template <class T>
[[nodiscard]] auto out(T* first, std::size_t count,
                       const void* site = __builtin_source_location()) noexcept {
  return detail::make_range<MYR_OUT>(first, count, site);
}
template <class T>
[[nodiscard]] auto out(Tile<T> t, const void* site = __builtin_source_location()) noexcept {
  return detail::TileAccess<T>{t, MYR_OUT, static_cast<const myr_site*>(site)};
}
template <class T>
[[nodiscard]] auto inout(T& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_INOUT>(x, site);
}
template <class T>
[[nodiscard]] auto inout(T* const&& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_INOUT>(x, site);
}
template <class T>
[[nodiscard]] auto inout(const T&& x, const void* site = __builtin_source_location()) noexcept {
  static_assert(detail::is_shared<T>,
                "a temporary is gone before the task runs: declare a variable");
  return detail::make_access<MYR_INOUT>(x, site);
}
[[nodiscard]] inline auto inout(Region&& x,
                                const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_INOUT>(x, site);
}
template <class T>
[[nodiscard]] auto inout(T* first, std::size_t count,
                         const void* site = __builtin_source_location()) noexcept {
  return detail::make_range<MYR_INOUT>(first, count, site);
}
template <class T>
[[nodiscard]] auto inout(Tile<T> t, const void* site = __builtin_source_location()) noexcept {
  return detail::TileAccess<T>{t, MYR_INOUT, static_cast<const myr_site*>(site)};
}

// Like inout(), for tasks that may run in any order and at the same time as each other: they make
// that safe themselves, with atomics or locks. Not for regions.
template <class T>
[[nodiscard]] auto concurrent(T& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access < MYR_INOUT | MYR_CONCURRENT > (x, site);
}
template <class T>
[[nodiscard]] auto concurrent(T* const&& x,
                              const void* site = __builtin_source_location()) noexcept {
  return detail::make_access < MYR_INOUT | MYR_CONCURRENT > (x, site);
}
template <class T>
[[nodiscard]] auto concurrent(T* first, std::size_t count,
                              const void* site = __builtin_source_location()) noexcept {
  return detail::make_range < MYR_INOUT | MYR_CONCURRENT > (first, count, site);
}
template <class T>
[[nodiscard]] auto concurrent(Tile<T> t, const void* site = __builtin_source_location()) noexcept {
  return detail::TileAccess<T>{t, MYR_INOUT | MYR_CONCURRENT, static_cast<const myr_site*>(site)};
}
// Like inout(), for tasks that may run in any order, but one at a time.
template <class T>
[[nodiscard]] auto commutative(T& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access < MYR_INOUT | MYR_COMMUTATIVE > (x, site);
}
template <class T>
[[nodiscard]] auto commutative(T* const&& x,
                               const void* site = __builtin_source_location()) noexcept {
  return detail::make_access < MYR_INOUT | MYR_COMMUTATIVE > (x, site);
}
[[nodiscard]] inline auto commutative(Region&& x,
                                      const void* site = __builtin_source_location()) noexcept {
  return detail::make_access < MYR_INOUT | MYR_COMMUTATIVE > (x, site);
}
template <class T>
[[nodiscard]] auto commutative(T* first, std::size_t count,
                               const void* site = __builtin_source_location()) noexcept {
  return detail::make_range < MYR_INOUT | MYR_COMMUTATIVE > (first, count, site);
}
template <class T>
[[nodiscard]] auto commutative(Tile<T> t, const void* site = __builtin_source_location()) noexcept {
  return detail::TileAccess<T>{t, MYR_INOUT | MYR_COMMUTATIVE, static_cast<const myr_site*>(site)};
}

// The access is ordered as declared, but the task only passes the data on to its children.
template <class P>
[[nodiscard]] detail::Access<P> notransfer(detail::Access<P> a) noexcept {
  a.access.flags = static_cast<std::uint16_t>(a.access.flags | MYR_NOTRANSFER);
  return a;
}

// The same, and the task itself need not wait for earlier ones: what it spawns does, and its waits.
template <class P>
[[nodiscard]] detail::Access<P> weak(detail::Access<P> a) noexcept {
  a.access.flags = static_cast<std::uint16_t>(a.access.flags | MYR_NOTRANSFER | MYR_WEAK);
  return a;
}
}  // namespace myr
