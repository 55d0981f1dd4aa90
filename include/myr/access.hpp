// SPDX-License-Identifier: Apache-2.0
//
// What tasks and waits declare: a part of myr.hpp.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <myr/each.hpp>
#include <myr/holds.hpp>
#include <myr/memory.hpp>
#include <myr/owner.hpp>
#include <myr/refused.hpp>
#include <myr/region.hpp>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

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
  // in(tile) hands on one that only reads.
  operator Tile<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data, rows, columns, stride};
  }
};
template <class T>
[[nodiscard]] Tile<T> tile(T* data, std::size_t rows, std::size_t columns,
                           std::size_t stride) noexcept {
  return {data, rows, columns, stride};
}

namespace detail {

// What a wrong use results in, so that it leads to no second error.
struct Refused {};

// An argument with declared accesses. `Passed` is what the task's function receives.
template <class Passed, std::size_t kCount = 1>
struct Access {
  Passed passed;
  myr_access accesses[kCount];
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
// Memory for many objects, of a number that only the run knows.
template <bool kOwners>
struct ManyAccesses {
  std::unique_ptr<myr_access[]> accesses;
  std::size_t count;
  const myr_site* site;
};
// An object without what it holds; see object().
template <class T>
struct ObjectAlone {
  T* pointer;
};
template <class T>
inline constexpr bool is_object_alone = false;
template <class T>
inline constexpr bool is_object_alone<ObjectAlone<T>> = true;
// A pointer that may be null; see maybe().
template <class T>
struct Maybe {
  T* pointer;
};
template <class T>
inline constexpr bool is_maybe = false;
template <class T>
inline constexpr bool is_maybe<Maybe<T>> = true;
template <class T>
inline constexpr bool is_tile = false;
template <class T>
inline constexpr bool is_tile<Tile<T>> = true;

// A Region, a pointer, a view: the task gets a copy, and temporaries are as good as variables.
template <class T>
inline constexpr bool is_handle =
    std::is_same_v<T, Region> || std::is_pointer_v<T> || is_object_alone<T> || is_maybe<T> ||
    is_tile<T> || is_each<T> || View<T>;
template <class T>
concept Temporary = !std::is_lvalue_reference_v<T> && !is_handle<std::remove_cvref_t<T>>;
// Nobody says what it, or one of its elements or members, holds. A region is none: its number names
// it.
template <class T>
concept Hidden = levels<T>() >= kUntold && !std::is_base_of_v<Region, T> && !Declaring<T>;
// No access to it names what it holds: that lies too deep. A view names its elements, and not what
// these hold.
template <class T>
concept Deep = !InPieces<T> && !SmartPointer<T> && levels<T>() < kUntold &&
               levels<T>() >= (View<T> ? kTooDeep + 1 : kTooDeep);
// It only shows what is elsewhere, to tasks that nothing orders.
template <class T>
concept Showing = !InPieces<T> && !SmartPointer<T> && !Hidden<T> && !Deep<T> && !is_handle<T> &&
                  !OfBits<T> && shows_others<T>();
template <unsigned kMode, class T>
concept Nameable =
    !Temporary<T> && !Deep<std::remove_cvref_t<T>> && !OfBits<std::remove_cvref_t<T>> &&
    !InPieces<std::remove_cvref_t<T>> && !SmartPointer<std::remove_cvref_t<T>> &&
    !Hidden<std::remove_cvref_t<T>> && !Showing<std::remove_cvref_t<T>> &&
    !((kMode & MYR_CONCURRENT) != 0 && std::is_base_of_v<Region, std::remove_cvref_t<T>>);

// Does an access name objects that may own others?
template <class A>
inline constexpr bool names_owners = false;
template <class T>
inline constexpr bool names_owners<Access<T*>> = IsOwner<T>::value;
template <View V>
inline constexpr bool names_owners<Access<V>> =
    IsOwner<std::remove_reference_t<decltype(*elements_of(std::declval<V&>()).first)>>::value;
template <class T, std::size_t kCount>
inline constexpr bool names_owners<Access<Reference<T>, kCount>> = IsOwner<T>::value || kCount != 1;
template <bool kOwners>
inline constexpr bool names_owners<ManyAccesses<kOwners>> = kOwners;
template <class T>
inline constexpr bool names_owners<TileAccess<T>> = IsOwner<T>::value;

template <unsigned kMode, class T>
using Target = std::conditional_t<kMode == MYR_IN, const T, T>;

template <unsigned kMode, class T>
auto access_to_object(T& x, const myr_site* site) noexcept {
  constexpr std::size_t kHeld = held_count<std::remove_cv_t<T>>();
  Access<Reference<Target<kMode, T>>, 1 + kHeld> access{
      {std::addressof(x)}, {myr_make_access(std::addressof(x), sizeof(T), kMode)}, site};
  if constexpr (kHeld != 0) {
    myr_access* next = access.accesses + 1;
    [[maybe_unused]] const Glance glance;
    put_held(x, kMode, next);
  }
  return access;
}

template <unsigned kMode, class T>
auto make_access(T& x, const myr_site* site) noexcept {
  using Plain = std::remove_cv_t<T>;
  if constexpr (requires { x.template declared<kMode>(site); }) {
    return x.template declared<kMode>(site);  // of a Future
  } else if constexpr (std::is_base_of_v<Region, Plain>) {
    return Access<Region>{x, {myr_region_access(x.id(), kMode)}, site};
  } else if constexpr (std::is_pointer_v<Plain>) {
    using To = Target<kMode, std::remove_pointer_t<Plain>>;
    return Access<To*>{x, {myr_make_access(x, 0, kMode | MYR_WHOLE)}, site};
  } else if constexpr (is_maybe<Plain>) {
    using To = Target<kMode, std::remove_pointer_t<decltype(x.pointer)>>;
    return Access<To*>{
        x.pointer, {myr_make_access(x.pointer, 0, kMode | MYR_WHOLE | MYR_MAYBE)}, site};
  } else if constexpr (is_tile<Plain>) {
    return TileAccess<Target<kMode, std::remove_reference_t<decltype(*x.data)>>>{x, kMode, site};
  } else if constexpr (is_each<Plain>) {
    return access_to_each<kMode>(x, site);
  } else if constexpr (is_object_alone<Plain>) {
    using Object = std::remove_reference_t<decltype(*x.pointer)>;
    return Access<Reference<Target<kMode, Object>>>{
        {x.pointer}, {myr_make_access(x.pointer, sizeof(Object), kMode)}, site};
  } else if constexpr (View<Plain>) {
    using Passed = std::conditional_t<kMode == MYR_IN, typename ReadOnly<Plain>::Type, Plain>;
    return Access<Passed>{x, {access_to_elements(elements_of(x), kMode)}, site};
  } else {
    return access_to_object<kMode>(x, site);
  }
}
// A smart pointer, or a std::reference_wrapper, stands for its object.
template <class T>
auto& behind_element(T& element) noexcept {
  if constexpr (requires {
                  *element;
                  element.get();
                }) {
    return *element;
  } else if constexpr (is_wrapped_reference<std::remove_const_t<T>>) {
    return element.get();
  } else {
    return element;
  }
}
template <unsigned kMode, class T>
auto access_to_each(Each<T> all, const myr_site* site) {
  using Element = std::remove_cvref_t<decltype(behind_element(*all.pointers))>;
  static_assert(!Showing<Element>,
                "the elements only show what is elsewhere, in a container or by an iterator or a "
                "reference: list what the task uses, in spans, pointers or std::reference_wrapper");
  static_assert(Nameable<kMode, Element&> || Showing<Element>,
                "in(each(v)) would not name all that an element of v holds: say by myr::parts_of "
                "what it holds, or name the elements alone, in(v.data(), v.size()), in all tasks "
                "that use any of it");
  using One = decltype(make_access<kMode>(behind_element(*all.pointers), site));
  constexpr std::size_t kOfOne = std::extent_v<decltype(One::accesses)>;
  const std::size_t count = saturated_product(all.size, kOfOne);
  ManyAccesses<names_owners<One>> access{std::unique_ptr<myr_access[]>(new myr_access[count]),
                                         count, site};
  myr_access* next = access.accesses.get();
  for (std::size_t i = 0; i < all.size; ++i) {
    const One one = make_access<kMode>(behind_element(all.pointers[i]), site);
    for (const myr_access& each : one.accesses) *next++ = each;
  }
  return access;
}

template <unsigned kMode, class T>
Access<Target<kMode, T>*> make_range(T* first, std::size_t count, const myr_site* site) noexcept {
  return {first, {access_to_elements(ElementRange{first, count}, kMode)}, site};
}

// How spawn() and wait() handle one argument: `Stored` is kept in the task, fill() writes count()
// accesses, and pass() turns what is stored into what the function receives.
template <class A>
struct Argument {
  using Stored = std::decay_t<A>;
  static constexpr bool is_value = true;  // nothing of ours
  static std::size_t count(const A&) noexcept { return 0; }
  static const myr_site* site(const A&) noexcept { return nullptr; }
  static void fill(const A&, myr_access*&) noexcept {}
  template <class U>
  static U&& store(U&& value) noexcept {
    return std::forward<U>(value);
  }
  static Stored&& pass(Stored& stored) noexcept { return std::move(stored); }
};
template <class P, std::size_t kCount>
struct AccessArgument {
  using A = Access<P, kCount>;
  static constexpr std::size_t count(const A&) noexcept { return kCount; }
  static const myr_site* site(const A& a) noexcept { return a.site; }
  static void fill(const A& a, myr_access*& next) noexcept {
    if constexpr (kCount == 1) {
      *next++ = a.accesses[0];
    } else {
      for (const myr_access& access : a.accesses) *next++ = access;
    }
  }
};
template <class P, std::size_t kCount>
struct Argument<Access<P, kCount>> : AccessArgument<P, kCount> {
  using Stored = P;
  static P store(const Access<P, kCount>& a) noexcept { return a.passed; }
  static P pass(P stored) noexcept { return stored; }
};
template <class T, std::size_t kCount>
struct Argument<Access<Reference<T>, kCount>> : AccessArgument<Reference<T>, kCount> {
  using Stored = T*;
  static T* store(const Access<Reference<T>, kCount>& a) noexcept { return a.passed.pointer; }
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
      *next++ = access_to_bytes(first, bytes, a.flags);
    }
  }
  static Tile<T> store(const A& a) noexcept { return a.passed; }
  static Tile<T> pass(Tile<T> stored) noexcept { return stored; }
};
template <bool kOwners>
struct Argument<ManyAccesses<kOwners>> {
  using A = ManyAccesses<kOwners>;
  using Stored = A;
  static std::size_t count(const A& a) noexcept { return a.count; }
  static const myr_site* site(const A& a) noexcept { return a.site; }
  static void fill(const A& a, myr_access*& next) noexcept {
    for (std::size_t i = 0; i < a.count; ++i) *next++ = a.accesses[i];
  }
  static A&& store(A&& a) noexcept { return std::move(a); }
  static A&& pass(A& a) noexcept { return std::move(a); }
};
template <class A>
inline constexpr bool is_many_accesses = false;
template <bool kOwners>
inline constexpr bool is_many_accesses<ManyAccesses<kOwners>> = true;
// See unchecked().
template <class T>
struct Unchecked {
  T value;
};
template <class T>
struct Argument<Unchecked<T>> {
  using Stored = T;
  static std::size_t count(const Unchecked<T>&) noexcept { return 0; }
  static const myr_site* site(const Unchecked<T>&) noexcept { return nullptr; }
  static void fill(const Unchecked<T>&, myr_access*&) noexcept {}
  static T&& store(Unchecked<T>&& u) noexcept { return std::move(u.value); }
  static const T& store(const Unchecked<T>& u) noexcept { return u.value; }
  static T&& pass(T& stored) noexcept { return std::move(stored); }
};
template <class T, class Op>
struct Reduction;  // of reduction.hpp
template <class T, class Op>
struct Combination;  // of reduction.hpp
template <class A>
inline constexpr bool is_reduction = false;
template <class T, class Op>
inline constexpr bool is_reduction<Reduction<T, Op>> = true;
template <class T>
concept IsTextCharacter =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;
// What an argument is kept as; a text literal is a pointer.
template <class A>
struct KeptAs {
  using Type = std::remove_cvref_t<A>;
};
template <class C, std::size_t kSize>
  requires IsTextCharacter<C>
struct KeptAs<const C (&)[kSize]> {
  using Type = const C*;
};
template <class A>
using Kept = typename KeptAs<A>::Type;
template <class A>
using ArgumentOf = Argument<Kept<A>>;

template <class A>
inline constexpr bool is_access = false;
template <>
inline constexpr bool is_access<Refused> = true;  // who has said so need not say more
template <class P, std::size_t kCount>
inline constexpr bool is_access<Access<P, kCount>> = true;
template <class T>
inline constexpr bool is_access<TileAccess<T>> = true;
template <bool kOwners>
inline constexpr bool is_access<ManyAccesses<kOwners>> = true;
template <class P>
inline constexpr bool is_part = false;
template <class P>
struct PartAccesses;  // of footprint.hpp
template <class Footprint, bool kOwners>
struct PartAccess;  // of footprint.hpp
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

// The variable x itself, without what it holds or points to: in(object(v)), inout(object(pointer)).
// In a loop, in(object(v), part): elements of v of any type, even if nobody says what they hold.
template <class T>
[[nodiscard]] detail::ObjectAlone<T> object(T& x) noexcept {
  return {std::addressof(x)};
}

// The object that p points to, which a region made, or nothing, if p is null: in(maybe(p)).
template <class T>
[[nodiscard]] detail::Maybe<T> maybe(T* p) noexcept {
  return {p};
}

// How a task, or a wait, uses an argument: the type of in, out and so on. See the table at the head
// of myr.hpp.
template <unsigned kMode>
struct Use {
  template <class T>
    requires detail::Nameable<kMode, T>
  [[nodiscard, gnu::always_inline]] auto operator()(
      T&& x, const void* site = __builtin_source_location()) const noexcept {
    return detail::make_access<kMode>(x, static_cast<const myr_site*>(site));
  }
  // `count` of any type, so that a 0 is no null pointer.
  template <class T, class N>
    requires std::is_integral_v<N>
  [[nodiscard, gnu::always_inline]] auto operator()(
      T* first, N count, const void* site = __builtin_source_location()) const noexcept {
    return detail::make_range<kMode>(first, static_cast<std::size_t>(count),
                                     static_cast<const myr_site*>(site));
  }
  // What the iterations of a part use of x, or the pairs; see loop.hpp.
  template <class T, class P>
    requires detail::is_part<P>
  [[nodiscard, gnu::always_inline]] auto operator()(
      T&& x, P which, const void* site = __builtin_source_location()) const noexcept {
    return detail::PartAccesses<P>::template make<kMode>(x, which,
                                                         static_cast<const myr_site*>(site));
  }

  template <class T>
    requires detail::Temporary<T>
  MYR_REFUSED("a temporary is gone before the task runs: declare a variable")
  detail::Refused operator()(T&&, const void* = nullptr) const {
    return {};
  }
  template <class T>
    requires detail::OfBits<std::remove_cvref_t<T>>
  MYR_REFUSED(
      "the elements of a std::vector<bool> are bits, which no access can name: use a "
      "std::vector<char>")
  detail::Refused
  operator()(T&&, const void* = nullptr) const {
    return {};
  }
  template <class T>
    requires(detail::InPieces<std::remove_cvref_t<T>> && !detail::Temporary<T>)
  MYR_REFUSED(
      "a deque, list, map or set has its elements in many pieces, which no access can name: use a "
      "std::vector or a region, or name the variable alone, in(object(x)), in all tasks that use "
      "it")
  detail::Refused
  operator()(T&&, const void* = nullptr) const {
    return {};
  }
  template <class T>
    requires(detail::SmartPointer<std::remove_cvref_t<T>> && !detail::Temporary<T>)
  MYR_REFUSED(
      "a smart pointer points elsewhere: name what it points to, in(*p), or the pointer alone, "
      "in(object(p))")
  detail::Refused
  operator()(T&&, const void* = nullptr) const {
    return {};
  }
  template <class T>
    requires(detail::Hidden<std::remove_cvref_t<T>> && !detail::Temporary<T>)
  MYR_REFUSED(
      "this, or what it holds, is of a class that owns something elsewhere, and nobody can see "
      "what, as it has a constructor, private members, bases, references, unions, long arrays or "
      "more than 16 members: say what it holds by myr::parts_of, or name the variable alone, "
      "in(object(x))")
  detail::Refused
  operator()(T&&, const void* = nullptr) const {
    return {};
  }
  template <class T>
    requires(detail::Deep<std::remove_cvref_t<T>> && !detail::Temporary<T>)
  MYR_REFUSED(
      "this holds containers three deep, smart pointers, lists or maps, of which in(x) would not "
      "name all: name what the task uses, by uses(in(each(v))) all that the elements of v hold or, "
      "as std::reference_wrapper, refer to; or the variable alone, in(object(x)), in all tasks "
      "that use any of it")
  detail::Refused
  operator()(T&&, const void* = nullptr) const {
    return {};
  }
  template <class T>
    requires(detail::Showing<std::remove_cvref_t<T>> && !detail::Temporary<T>)
  MYR_REFUSED(
      "references, iterators, and spans in a container only show what is elsewhere, which in(x) "
      "would not name: name that, by in(v), in(std::span(first, last)) or uses(in(each(spans)))")
  detail::Refused
  operator()(T&&, const void* = nullptr) const {
    return {};
  }
  template <class T>
    requires(kMode == (MYR_INOUT | MYR_CONCURRENT) &&
             std::is_base_of_v<Region, std::remove_cvref_t<T>>)
  MYR_REFUSED(
      "a region cannot be concurrent, because tasks cannot allocate in it at the same "
      "time: write commutative(region) or inout(region)")
  detail::Refused
  operator()(T&&, const void* = nullptr) const {
    return {};
  }
  template <class T, class N>
    requires(detail::Contiguous<std::remove_cvref_t<T>> && std::is_integral_v<N>)
  MYR_REFUSED("for n elements of a vector or a span write in(v.data(), n), for all in(v)")
  detail::Refused operator()(T&&, N, const void* = nullptr) const {
    return {};
  }
  template <std::forward_iterator I>
  MYR_REFUSED("for what is between two iterators write in(std::span(first, last))")
  detail::Refused operator()(I, I, const void* = nullptr) const {
    return {};
  }
};
inline constexpr Use<MYR_IN> in{};
inline constexpr Use<MYR_OUT> out{};
inline constexpr Use<MYR_INOUT> inout{};
// Like inout(), for tasks that may run in any order and at the same time as each other: they make
// that safe themselves, with atomics or locks. Not for regions.
inline constexpr Use<MYR_INOUT | MYR_CONCURRENT> concurrent{};
// Like inout(), for tasks that may run in any order, but one at a time.
inline constexpr Use<MYR_INOUT | MYR_COMMUTATIVE> commutative{};

namespace detail {

template <class A>
void add_flags(A& access, unsigned flags) noexcept {
  const auto add = [flags](myr_access& one) {
    one.flags = static_cast<std::uint16_t>(one.flags | flags);
  };
  if constexpr (requires { access.flags; }) {
    access.flags |= flags;
  } else if constexpr (requires { access.count; }) {
    for (std::size_t i = 0; i < access.count; ++i) add(access.accesses[i]);
  } else {
    for (myr_access& one : access.accesses) add(one);
  }
}

}  // namespace detail

// The access is ordered as declared, but the task only passes the data on to its children.
template <class A>
  requires detail::is_access<A>
[[nodiscard]] A notransfer(A access) {
  detail::add_flags(access, MYR_NOTRANSFER);
  return access;
}
template <class A>
  requires(!detail::is_access<A>)
MYR_REFUSED(
    "notransfer() is for in(x), out(x) and the like, without part: what reduces uses a "
    "value of its own")
detail::Refused notransfer(const A&) {
  return {};
}

// The same, and the task itself need not wait for earlier ones: what it spawns does, and its waits.
template <class A>
  requires detail::is_access<A>
[[nodiscard]] A weak(A access) {
  detail::add_flags(access, MYR_NOTRANSFER | MYR_WEAK);
  return access;
}
template <class A>
  requires(!detail::is_access<A>)
MYR_REFUSED(
    "weak() is for in(x), out(x) and the like, without part: what reduces does not "
    "wait anyway")
detail::Refused weak(const A&) {
  return {};
}

// A value that the task gets although the memory that it refers to is not declared: something else
// orders the task, such as the access to a region.
template <class T>
[[nodiscard]] detail::Unchecked<std::decay_t<T>> unchecked(T&& value) {
  return {std::forward<T>(value)};
}

namespace detail {

template <class... A>
struct Uses {
  std::tuple<A...> accesses;
};
template <class T>
inline constexpr bool is_uses = false;
template <class... A>
inline constexpr bool is_uses<Uses<A...>> = true;
template <class... U>
struct Argument<Uses<U...>> {
  using A = Uses<U...>;
  static std::size_t count(const A& all) noexcept {
    return std::apply([](const U&... one) { return saturated_total(Argument<U>::count(one)...); },
                      all.accesses);
  }
  static const myr_site* site(const A& all) noexcept {
    return std::apply([](const U&... one) { return first_site(Argument<U>::site(one)...); },
                      all.accesses);
  }
  static void fill(const A& all, [[maybe_unused]] myr_access*& next) noexcept {
    std::apply([&](const U&... one) { (Argument<U>::fill(one, next), ...); }, all.accesses);
  }
};
template <class... U>
inline constexpr bool names_owners<Uses<U...>> = (... || names_owners<U>);

}  // namespace detail

// Accesses that only order a task: its function gets nothing for them.
//   myr::spawn(myr::uses(myr::in(a), myr::inout(myr::each(list))), [=] { ... });
template <class... A>
  requires(... && detail::is_access<std::remove_cvref_t<A>>)
[[nodiscard]] detail::Uses<std::remove_cvref_t<A>...> uses(A&&... accesses) {
  return {{std::forward<A>(accesses)...}};
}
template <class... A>
  requires(!(... && detail::is_access<std::remove_cvref_t<A>>))
detail::Uses<> uses(const A&... accesses)
    MYR_REFUSED("uses() takes in(x), out(x) and the like: what the task does with x");

}  // namespace myr::inline v0
