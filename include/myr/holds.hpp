// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp: what an object holds beside its own bytes. A vector, a string or a valarray has
// its elements elsewhere, and so has what a span, a string_view or an mdspan looks at.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <myr/members.hpp>
#include <myr/memory.hpp>
#include <myr/sanitized.hpp>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

// Which members of a type of the user's hold something elsewhere: specialise it with
//   template <class B>
//   static auto of(B& band) { return std::tie(band.rows, band.cells); }
// Then in(band) names these, too; and a task that gets a band as a value goes with it to other
// processes, if all that band has is in these members and each can go (<myr/serialize.hpp>).
template <class T>
struct parts_of;

namespace detail {

template <class T>
concept Contiguous = requires(const T& x) {
  { x.data() + x.size() };
};
// A std::valarray: it has no data().
template <class T>
concept ValueArray = requires(const T& x) {
  x.cshift(0);
  { &x[0] + x.size() };
};
// A std::mdspan, or another of its kind.
template <class T>
concept Mapped = requires(const T& x) {
  { x.data_handle() + x.mapping().required_span_size() };
};
// A handle: what it looks at stays where it is when the handle goes.
template <class T>
concept View = Mapped<T> || (Contiguous<T> && std::ranges::enable_borrowed_range<T>);
template <class T>
concept Tied = requires(T& x) { parts_of<T>::of(x); };
template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };
// Its elements are bits, without addresses.
template <class T>
concept OfBits = requires(T& x) {
  x.flip();
  x.begin();
} && !Contiguous<T>;

// A std::deque, a list, a map, a set, or another one whose elements do not lie side by side.
template <class T>
concept InPieces = requires(T& x) {
  typename T::value_type;
  x.get_allocator();
  x.begin();
} && !Contiguous<T> && !OfBits<T>;
// A std::unique_ptr or std::shared_ptr.
template <class T>
concept SmartPointer = requires(T& x) {
  typename T::element_type;
  *x;
  x.get();
} && !std::is_trivially_destructible_v<T>;

// A class of the user's, whose elements or members nobody has told.
template <class T>
concept Untold = std::is_class_v<T> && !std::is_empty_v<T> && !Tied<T> && !TupleLike<T> &&
                 !Contiguous<T> && !ValueArray<T> && !Mapped<T>;
// One that owns something elsewhere.
template <class T>
concept Owning = Untold<T> && !std::is_trivially_destructible_v<T>;
// Its members, which are public, say what it holds. One that C has, too, holds nothing, and may end
// in an array without a size, which cannot be seen.
template <class T>
constexpr bool is_open() noexcept {
  if constexpr (Untold<T> && std::is_aggregate_v<T> && !std::is_trivial_v<T> && !has_base<T>) {
    constexpr std::size_t kCount = member_count<T>();
    return kCount != 0 && kCount <= kMembersMost && !has_union<T>;
  } else {
    return false;
  }
}
// Nobody says.
template <class T>
constexpr bool is_closed() noexcept {
  return Owning<T> && !OfBits<T> && !InPieces<T> && !SmartPointer<T> && !is_open<T>();
}

template <class E>
struct ElementRange {
  E* first;
  std::size_t count;
};
template <class E>
ElementRange(E*, std::size_t) -> ElementRange<E>;

template <class T>
auto elements_of(T& x) noexcept {
  if constexpr (Mapped<std::remove_cv_t<T>>) {
    return ElementRange{x.data_handle(),
                        static_cast<std::size_t>(x.mapping().required_span_size())};
  } else if constexpr (ValueArray<std::remove_cv_t<T>>) {
    return ElementRange{x.size() == 0 ? nullptr : &x[0], x.size()};
  } else {
    return ElementRange{x.data(), static_cast<std::size_t>(x.size())};
  }
}
// With the room for more of them that a container has: a task that may write it may fill that.
template <class T>
auto room_of(T& x) noexcept {
  auto all = elements_of(x);
  if constexpr (requires {
                  { x.capacity() } -> std::convertible_to<std::size_t>;
                }) {
    if (x.capacity() > all.count) all.count = x.capacity();
  }
  return all;
}

// The types of what an object has in itself: std::tuple<...>*.
struct TypesOf {
  template <class... M>
  constexpr std::tuple<M...>* operator()(const M&...) const noexcept {
    return nullptr;
  }
};
template <class T>
constexpr auto part_types() noexcept {
  if constexpr (Tied<T>) {
    return static_cast<decltype(parts_of<T>::of(std::declval<T&>()))*>(nullptr);
  } else if constexpr (TupleLike<T> && !Contiguous<T>) {  // a pair
    return decltype(std::apply(TypesOf(), std::declval<const T&>()))(nullptr);
  } else if constexpr (is_open<T>()) {
    return decltype(with_members(std::declval<const T&>(), TypesOf()))(nullptr);
  } else {
    return static_cast<std::tuple<>*>(nullptr);
  }
}

// In how many ranges is what an object of the type holds? What its elements hold in turn
// does not count: while they are looked at, a task that was spawned earlier may be moving them.
template <class T>
constexpr std::size_t held_count() noexcept {
  const auto sum_of = []<class... P>(const std::tuple<P...>*) {
    return (std::size_t{0} + ... + held_count<std::remove_cvref_t<P>>());
  };
  if constexpr (std::is_array_v<T>) {
    return std::extent_v<T> * held_count<std::remove_cv_t<std::remove_extent_t<T>>>();
  } else if constexpr (TupleLike<T> && Contiguous<T> && !Tied<T>) {  // a std::array
    return std::tuple_size_v<T> * held_count<std::remove_cv_t<typename T::value_type>>();
  } else if constexpr (!Tied<T> && (Contiguous<T> || ValueArray<T> || Mapped<T>)) {
    return 1;
  } else {
    return sum_of(part_types<T>());
  }
}

// How many containers lie inside each other. A text counts as a value, since nobody names its
// characters alone. No access names what smart pointers, lists and maps have elsewhere; what a
// class has that does not say so is not known.
inline constexpr std::size_t kTooDeep = 3;
inline constexpr std::size_t kUntold = 100;
template <class T, std::size_t kLeft = kTooDeep>
constexpr std::size_t levels() noexcept {
  const auto most_of = []<class... P>(const std::tuple<P...>*) {
    std::size_t most = 0;
    for (const std::size_t one : {std::size_t{0}, levels<std::remove_cvref_t<P>, kLeft>()...}) {
      if (one > most) most = one;
    }
    return most;
  };
  if constexpr (std::is_scalar_v<T> || kLeft == 0) {  // a structure may hold others of its type
    return 0;
  } else if constexpr (SmartPointer<T> || InPieces<T>) {
    return kTooDeep;
  } else if constexpr (is_closed<T>()) {
    return kUntold;
  } else if constexpr (std::is_array_v<T>) {
    return levels<std::remove_cv_t<std::remove_extent_t<T>>, kLeft>();
  } else if constexpr (requires { typename T::traits_type; }) {
    return 0;
  } else if constexpr (!Tied<T> && (Contiguous<T> || ValueArray<T> || Mapped<T>)) {
    using E = std::remove_cvref_t<decltype(*elements_of(std::declval<T&>()).first)>;
    constexpr std::size_t kOwn = TupleLike<T> ? 0 : 1;  // a std::array
    return kOwn + levels<E, kLeft - kOwn>();
  } else {
    return most_of(part_types<T>());
  }
}

template <class T>
inline constexpr bool is_wrapped_reference = false;
template <class T>
inline constexpr bool is_wrapped_reference<std::reference_wrapper<T>> = true;
template <class T>
inline constexpr bool is_reference = std::is_reference_v<T> || is_wrapped_reference<T>;
template <std::input_or_output_iterator T>
  requires std::is_class_v<T>
inline constexpr bool is_reference<T> = std::is_reference_v<std::iter_reference_t<T>>;
template <class T>
inline constexpr bool is_reference<std::initializer_list<T>> = true;
// One of ours that declares by itself: a Future, which only the task that made it can ask.
template <class T>
concept Declaring = requires(const T& x) { x.template declared<MYR_IN>(nullptr); };
// A structure with a reference: it can be copied, and not assigned. One with constants is taken for
// such a one, since the two cannot be told apart.
template <class T>
concept Bound =
    std::is_aggregate_v<T> && std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
// Does a copy of it refer to what others have, as far as the type shows? A pointer may, or may not.
template <class T, std::size_t kLeft = kTooDeep>
constexpr bool refers() noexcept {
  const auto is_any = []<class... P>(const std::tuple<P...>*) {
    return (... || refers<std::remove_cv_t<P>, kLeft>());
  };
  if constexpr (is_reference<T> || View<T> || Declaring<T>) {
    return true;
  } else if constexpr (std::is_scalar_v<T> || kLeft == 0 || Tied<T>) {
    return false;
  } else if constexpr (std::is_array_v<T>) {
    return refers<std::remove_cv_t<std::remove_extent_t<T>>, kLeft>();
  } else if constexpr (requires { typename T::value_type; }) {  // a container, or a std::optional
    return refers<std::remove_cv_t<typename T::value_type>, kLeft - 1>();
  } else if constexpr (TupleLike<T>) {
    const auto of_elements = []<std::size_t... i>(std::index_sequence<i...>) {
      return (... || refers<std::remove_cv_t<std::tuple_element_t<i, T>>, kLeft>());
    };
    return of_elements(std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    return Bound<T> || is_any(part_types<T>());
  }
}

// Has it references, iterators, or views as elements of a container? An access to it names these,
// and not what they show.
template <class T>
constexpr bool shows_others() noexcept {
  const auto is_any = []<class... P>(const std::tuple<P...>*) {
    return (... || shows_others<std::remove_cvref_t<P>>());
  };
  if constexpr (is_reference<T>) {
    return true;
  } else if constexpr (std::is_scalar_v<T> || Tied<T> || levels<T>() >= kTooDeep) {
    return false;
  } else if constexpr (std::is_array_v<T>) {
    return shows_others<std::remove_cv_t<std::remove_extent_t<T>>>();
  } else if constexpr (Contiguous<T> || ValueArray<T> || Mapped<T>) {
    using E = std::remove_cvref_t<decltype(*elements_of(std::declval<T&>()).first)>;
    return TupleLike<T> ? shows_others<E>() : refers<E>();
  } else {
    return is_any(part_types<T>());
  }
}

inline myr_access access_to_bytes(const void* first, std::size_t bytes, unsigned flags) noexcept {
  return bytes == 0 ? myr_make_access(nullptr, 0, flags | MYR_MAYBE)
                    : myr_make_access(first, bytes, flags);
}
template <class E>
myr_access access_to_elements(ElementRange<E> all, unsigned flags) noexcept {
  return access_to_bytes(all.first, bytes_of(all.count, sizeof(E)), flags);
}

// Writes the accesses to what x holds. If an earlier task is just changing x, what is read here is
// of no use, nor needed: that task comes first, because x itself is declared, too. So it is no race
// for ThreadSanitizer to tell of.
template <class T>
void put_held(T& x, unsigned flags, myr_access*& next) noexcept {
  using Plain = std::remove_cv_t<T>;
  if constexpr (held_count<Plain>() == 0) {
    return;
  } else if constexpr (Tied<Plain>) {
    std::apply([&](auto&&... part) { (put_held(part, flags, next), ...); }, parts_of<Plain>::of(x));
  } else if constexpr (std::is_array_v<Plain> || (TupleLike<Plain> && Contiguous<Plain>)) {
    for (auto& element : x) put_held(element, flags, next);
  } else if constexpr (TupleLike<Plain>) {
    std::apply([&](const auto&... part) { (put_held(part, flags, next), ...); }, x);
  } else if constexpr (is_open<Plain>()) {
    with_members(x, [&](const auto&... part) { (put_held(part, flags, next), ...); });
  } else {
    constexpr std::size_t kMost = std::size_t{1} << 46;  // more is no number that x ever had
    const auto all = room_of(x);
    const auto inside = reinterpret_cast<std::uintptr_t>(all.first) -
                        reinterpret_cast<std::uintptr_t>(std::addressof(x));
    const bool is_elsewhere = inside >= sizeof(T) && all.count < kMost / sizeof(*all.first);
    *next++ = access_to_elements(is_elsewhere ? all : ElementRange{all.first, 0}, flags | MYR_HELD);
  }
}

// A view that only reads.
template <class V>
struct ReadOnly {
  using Type = V;
};
template <class T>
struct ReadOnlyParameter {
  using Type = const T;
};
template <template <class> class Accessor, class T>
struct ReadOnlyParameter<Accessor<T>> {
  using Type = Accessor<const T>;
};
template <template <class, std::size_t> class Span, class T, std::size_t kExtent>
struct ReadOnly<Span<T, kExtent>> {
  using Type = Span<const T, kExtent>;
};
template <template <class, class, class, class> class Span, class T, class E, class L, class A>
  requires Mapped<Span<T, E, L, A>>
struct ReadOnly<Span<T, E, L, A>> {
  using Type = Span<const T, E, L, typename ReadOnlyParameter<A>::Type>;
};

}  // namespace detail
}  // namespace myr::inline v0
