// SPDX-License-Identifier: Apache-2.0
//
// Part of loop.hpp: in(a, part) and the like, what some iterations of a loop use of arrays,
// matrices and lists of objects. The first number of a loop belongs to the first direction of `a`,
// the second to the second; directions that are left are used as a whole.
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <myr/access.hpp>
#include <myr/range.hpp>
#include <myr/view.hpp>
#include <type_traits>
#include <utility>

namespace myr::inline v0::detail {

// An access of a loop: `footprint(numbers, next)` counts, and writes if next is not nullptr.
// `kOwners`: what it names may own other memory.
template <class Footprint, bool kOwners>
struct PartAccess {
  Footprint footprint;
  const myr_site* site;
  template <class Other>
  [[nodiscard]] PartAccess<Other, kOwners> with(Other other) const {
    return {std::move(other), site};
  }
};
template <class F, bool kOwners>
inline constexpr bool names_owners<PartAccess<F, kOwners>> = kOwners;
template <class A>
std::size_t put_access(const A& access, myr_access* next) noexcept {
  if (next != nullptr) ArgumentOf<A>::fill(access, next);
  return ArgumentOf<A>::count(access);
}

// ---- arrays -------------------------------------------------------------------------------------

// How many elements before the first are used, too.
struct NoneBefore {
  static constexpr std::size_t count = 0;
};
struct SomeBefore {
  std::size_t count;
};
// The mode of an access: known to the compiler, or not.
template <unsigned kMode>
struct Mode {
  static constexpr unsigned flags = kMode;
};
struct AnyMode {
  unsigned flags;
};
template <class T, class M, class Before = NoneBefore>
struct ArrayFootprint {
  [[no_unique_address]] M mode;
  Part which;
  std::size_t size;
  T* first;
  [[no_unique_address]] Before before = {};

  // An access to the elements, and those to what each of them holds.
  template <class R>
  std::size_t operator()(const R& some, myr_access* next) const noexcept {
    constexpr std::size_t kHeld = held_count<std::remove_cv_t<T>>();
    if (kHeld == 0 && next == nullptr) return 1;
    const Range used = which.of(side<0>(some), size, before.count);
    if (next != nullptr) {
      T* const from = element_at(first - before.count, used.from);
      *next++ = access_to_bytes(from, bytes_of(used.size(), sizeof(T)), mode.flags);
      if constexpr (kHeld != 0) {
        [[maybe_unused]] const Glance glance;
        for (std::size_t i = 0; i < used.size(); ++i) put_held(from[i], mode.flags, next);
      }
    }
    return 1 + used.size() * kHeld;
  }
  template <class R>
  [[nodiscard]] auto view(const R& some, const myr_site* site) const noexcept {
    const Range used = which.of(side<0>(some), size, before.count);
    return ArrayView<T, is_checked>(first, {used.from - before.count, used.to - before.count},
                                    site);
  }
};
// What a loop uses of a pointer: elements before it only if the loop's numbers begin below 0.
template <class T, class M>
struct PointerFootprint : ArrayFootprint<T, M> {
  template <class R>
  [[nodiscard]] auto keep(const R& all) const noexcept {
    const ArrayFootprint<T, M>& plain = *this;
    const auto from = side<0>(all).from;
    if constexpr (std::is_unsigned_v<decltype(from)>) {
      return plain;
    } else {
      const std::size_t most = reinterpret_cast<std::uintptr_t>(plain.first) / sizeof(T);
      const std::size_t wanted =
          from < 0 ? saturated_sum(0 - static_cast<std::size_t>(from), plain.which.before) : 0;
      return ArrayFootprint<T, M, SomeBefore>{
          {}, plain.which, plain.size, plain.first, {wanted < most ? wanted : most}};
    }
  }
};

// ---- matrices and cubes -------------------------------------------------------------------------

template <class T>
Shape<T, 2> shape_of(const Tile<T>& all) noexcept {
  return {all.data, {all.rows, all.columns}, {all.stride, 1}};
}
template <class T>
Shape<T, 3> shape_of(const Cube<T>& all) noexcept {
  const std::size_t plane = saturated_product(all.rows(), all.columns());
  return {all.data(), {all.planes(), all.rows(), all.columns()}, {plane, all.columns(), 1}};
}
template <class T>
inline constexpr bool is_cube = false;
template <class T>
inline constexpr bool is_cube<Cube<T>> = true;

// Which elements the numbers use, in each direction.
template <std::size_t N>
struct Places {
  Range directions[N];
};
template <std::size_t N, class R>
Places<N> places_of(const std::size_t (&extents)[N], const Parts<N>& which,
                    const R& some) noexcept {
  Places<N> used;
  const auto note = [&]<std::size_t... D>(std::index_sequence<D...>) {
    const auto one = [&]<std::size_t E>(std::integral_constant<std::size_t, E>) -> Range {
      if constexpr (E < rank_of<R>) {
        return which.directions[E].of(side<E>(some), extents[E]);
      } else {
        return {0, extents[E]};
      }
    };
    ((used.directions[D] = one(std::integral_constant<std::size_t, D>())), ...);
  };
  note(std::make_index_sequence<N>());
  return used;
}
// These elements of a shape.
template <class T, std::size_t N>
Shape<T, N> piece_of(const Shape<T, N>& all, const Places<N>& which) noexcept {
  Shape<T, N> piece = all;
  std::size_t first = 0;
  for (std::size_t d = 0; d < N; ++d) {
    const Range& places = which.directions[d];
    first = saturated_sum(first, saturated_product(places.from, all.strides[d]));
    piece.extents[d] = places.size();
  }
  piece.first = element_at(all.first, first);
  return piece;
}
// An access for each row, or one for all that lie side by side.
template <class T>
std::size_t put_shape(const Shape<T, 2>& all, unsigned flags, myr_access* next) noexcept {
  const Tile<T> tile{all.first, all.extents[0], all.extents[1], all.strides[0]};
  return put_access(TileAccess<T>{tile, flags, nullptr}, next);
}
template <class T>
std::size_t put_shape(const Shape<T, 3>& all, unsigned flags, myr_access* next) noexcept {
  const auto& [planes, rows, columns] = all.extents;
  if (columns == all.strides[1]) {  // a plane's rows lie side by side
    return put_shape(Shape<T, 2>{all.first, {planes, rows * columns}, {all.strides[0], 1}}, flags,
                     next);
  }
  const Shape<T, 2> plane{all.first, {rows, columns}, {all.strides[1], 1}};
  const std::size_t count = put_shape(plane, flags, nullptr);
  for (std::size_t i = 0; next != nullptr && i < planes; ++i) {
    Shape<T, 2> one = plane;
    one.first = element_at(all.first, saturated_product(i, all.strides[0]));
    put_shape(one, flags, next + i * count);
  }
  return saturated_product(planes, count);
}

template <unsigned kMode, class T, std::size_t N>
struct GridFootprint {
  Parts<N> which;
  Shape<T, N> all;

  template <class R>
  std::size_t operator()(const R& some, myr_access* next) const noexcept {
    return put_shape(piece_of(all, places_of(all.extents, which, some)), kMode, next);
  }
  template <class R>
  [[nodiscard]] auto view(const R& some, const myr_site* site) const noexcept {
    return GridView<T, N, is_checked>(all, places_of(all.extents, which, some).directions, site);
  }
};

// ---- lists and matrices of objects and regions --------------------------------------------------

template <class T>
auto name_of(const T& handle) noexcept {
  if constexpr (std::is_same_v<T, Region>) {
    return handle;
  } else {
    return std::to_address(handle);
  }
}
// The address of an object, or the region, that an element of each(v) stands for.
template <class T>
using Named = decltype(name_of(std::declval<const T&>()));
// What the body may do with what is declared in this mode.
template <unsigned kMode, class Name>
using SeenAs = std::conditional_t<std::is_same_v<Name, Region>, Region,
                                  Target<kMode, std::remove_pointer_t<Name>>>;

// A pointer names an object that a region made, as in in(p); a smart pointer owns another.
template <class Handle>
constexpr std::size_t bytes_behind() noexcept {
  if constexpr (std::is_same_v<Handle, Region> || std::is_pointer_v<Handle>) {
    return 0;
  } else {
    return sizeof(*std::declval<const Handle&>());
  }
}

// The accesses of those in the range; `Handle` is their type in the user's vector. What their
// accesses have in common is made once: a copy of it takes two stores, and so many accesses are
// most of what a loop costs.
template <unsigned kMode, class Handle, class T>
void put_behind(const T* handles, Range range, myr_access* next) noexcept {
  if (range.size() == 0) return;
  if constexpr (std::is_same_v<T, Region>) {
    for (const std::size_t i : range) *next++ = myr_region_access(handles[i].id(), kMode);
  } else {
    constexpr std::size_t kBytes = bytes_behind<Handle>();
    const myr_access first =
        myr_make_access(nullptr, kBytes, kBytes == 0 ? kMode | MYR_WHOLE : kMode);
    for (const std::size_t i : range) {
      *next = first;
      next->address = const_cast<void*>(static_cast<const void*>(std::to_address(handles[i])));
      ++next;
    }
  }
}
template <unsigned kMode, class Handle, class T>
std::size_t put_all_behind(const Shape<T, 1>& names, myr_access* next) noexcept {
  if (next != nullptr) put_behind<kMode, Handle>(names.first, {0, names.extents[0]}, next);
  return names.extents[0];
}
template <unsigned kMode, class Handle, class T, std::size_t N>
std::size_t put_all_behind(const Shape<T, N>& names, myr_access* next) noexcept {
  Shape<T, N - 1> one{names.first, {}, {}};
  std::size_t of_one = 1;
  for (std::size_t d = 1; d < N; ++d) {
    one.extents[d - 1] = names.extents[d];
    one.strides[d - 1] = names.strides[d];
    of_one = saturated_product(of_one, names.extents[d]);
  }
  for (std::size_t i = 0; next != nullptr && i < names.extents[0]; ++i) {
    one.first = names.first + i * names.strides[0];
    put_all_behind<kMode, Handle>(one, next);
    next += of_one;
  }
  return saturated_product(names.extents[0], of_one);
}

// The elements that a loop uses, as it has them: as long as it is not over.
template <unsigned kMode, class Handle, class Footprint, std::size_t N>
struct KeptEach {
  using Name = Named<Handle>;
  Footprint each;
  Places<N> kept;
  std::unique_ptr<Name[]> names;

  template <class R>
  std::size_t operator()(const R& some, myr_access* next) const noexcept {
    Places<N> used = each.used(some);
    for (std::size_t d = 0; d < N; ++d) {
      const std::size_t by = kept.directions[d].from;
      used.directions[d] = {used.directions[d].from - by, used.directions[d].to - by};
    }
    return put_all_behind<kMode, Handle>(piece_of(shape(), used), next);
  }
  template <class R>
  [[nodiscard]] auto view(const R& some, const myr_site* site) const noexcept {
    const std::size_t first = each.first_number();
    const Places<N> used = each.used(some);
    std::size_t origin[N];
    Places<N> numbers;
    for (std::size_t d = 0; d < N; ++d) {
      origin[d] = kept.directions[d].from + first;
      numbers.directions[d] = {used.directions[d].from + first, used.directions[d].to + first};
    }
    return EachView<SeenAs<kMode, Name>, Name, N, is_checked>(shape(), origin, numbers.directions,
                                                              site);
  }

 private:
  [[nodiscard]] Shape<const Name, N> shape() const noexcept {
    Shape<const Name, N> all{names.get(), {}, {}};
    std::size_t stride = 1;
    for (std::size_t d = N; d-- > 0;) {
      all.extents[d] = kept.directions[d].size();
      all.strides[d] = stride;
      stride = saturated_product(stride, all.extents[d]);
    }
    return all;
  }
};
// Room for them.
template <unsigned kMode, class Handle, class Footprint, std::size_t N>
auto kept_each(const Footprint& footprint, const Places<N>& kept) {
  std::size_t count = 1;
  for (const Range& places : kept.directions) count = saturated_product(count, places.size());
  std::unique_ptr<Named<Handle>[]> names(new Named<Handle>[count]);
  return KeptEach<kMode, Handle, Footprint, N>{footprint, kept, std::move(names)};
}

template <unsigned kMode, class T>
struct EachFootprint {
  EachIn<T> all;
  Part which;

  template <class R>
  std::size_t operator()(const R& some, myr_access* next) const noexcept {
    const Range places = used(some).directions[0];
    if (next != nullptr) put_behind<kMode, std::remove_cv_t<T>>(all.pointers, places, next);
    return places.size();
  }
  template <class R>
  [[nodiscard]] Places<1> used(const R& some) const noexcept {
    const auto first = static_cast<std::size_t>(all.first);
    return all.first < 0 ? Places<1>{{which.of(side<0>(some), all.size, 0 - first, 0)}}
                         : Places<1>{{which.of(side<0>(some), all.size, 0, first)}};
  }
  // The number of the first element.
  [[nodiscard]] std::size_t first_number() const noexcept {
    return static_cast<std::size_t>(all.first);
  }
  template <class R>
  [[nodiscard]] auto keep(const R& range) const {
    auto kept = kept_each<kMode, std::remove_cv_t<T>>(*this, used(range));
    const Range places = kept.kept.directions[0];
    auto* const names = kept.names.get();
    for (const std::size_t i : places) names[i - places.from] = name_of(all.pointers[i]);
    return kept;
  }
};

template <unsigned kMode, class T>
struct WindowFootprint : EachFootprint<kMode, T> {
  // `origin`: what the loop calls number 0.
  [[nodiscard]] myr_window window(std::size_t origin) const noexcept {
    const EachIn<T>& in = this->all;
    return {sizeof(myr_window),
            in.region,
            kMode,
            reinterpret_cast<void* const*>(in.pointers),
            in.size,
            in.first + static_cast<std::ptrdiff_t>(origin),
            this->which.before,
            this->which.after};
  }
};

// For a matrix or a cube of them.
template <class Grid>
struct EachOfGrid {
  Grid pointers;
};
template <class T>
inline constexpr bool is_each_of_grid = false;
template <class G>
inline constexpr bool is_each_of_grid<EachOfGrid<G>> = true;

template <unsigned kMode, class T, std::size_t N>
struct EachGridFootprint {
  Parts<N> which;
  Shape<T, N> all;

  template <class R>
  std::size_t operator()(const R& some, myr_access* next) const noexcept {
    return put_all_behind<kMode, std::remove_cv_t<T>>(
        piece_of(all, places_of(all.extents, which, some)), next);
  }
  template <class R>
  [[nodiscard]] Places<N> used(const R& some) const noexcept {
    return places_of(all.extents, which, some);
  }
  [[nodiscard]] static constexpr std::size_t first_number() noexcept { return 0; }
  template <class R>
  [[nodiscard]] auto keep(const R& range) const {
    auto kept = kept_each<kMode, std::remove_cv_t<T>>(*this, used(range));
    auto* next = kept.names.get();
    const auto keep_one = [&](auto... numbers) {
      *next++ = name_of(all.first[all.offset({numbers...})]);
    };
    const auto& in = kept.kept.directions;
    if constexpr (N == 2) {
      for_numbers(Range2{in[0], in[1]}, keep_one);
    } else {
      for_numbers(Range3{in[0], in[1], in[2]}, keep_one);
    }
    return kept;
  }
};

// ---- in(a, part) --------------------------------------------------------------------------------

template <std::size_t N>
constexpr Parts<N> in_each_direction(Part which) noexcept {
  Parts<N> all;
  for (Part& one : all.directions) one = which;
  return all;
}
template <std::size_t N, std::size_t M>
constexpr Parts<N> in_each_direction(const Parts<M>& which) noexcept {
  static_assert(N == M, "parts(...) has one part for each direction of the matrix or the cube");
  if constexpr (N == M) {
    return which;
  } else {
    return {};
  }
}
// One of the objects of which a part of `data` consists: for its type.
template <class T>
auto& behind_handle(const T& handle) noexcept {
  if constexpr (std::is_same_v<T, Region>) {
    return handle;
  } else {
    return *handle;
  }
}

// The footprint of what has several directions.
template <unsigned kMode, class T, class P>
auto footprint_of_grid(const T& data, const P& which) noexcept {
  if constexpr (is_each_of_grid<T>) {
    const auto all = shape_of(data.pointers);
    using Handle = std::remove_reference_t<decltype(*all.first)>;
    constexpr std::size_t kRank = std::extent_v<decltype(all.extents)>;
    return EachGridFootprint<kMode, Handle, kRank>{in_each_direction<kRank>(which), all};
  } else {
    const auto all = shape_of(data);
    using Element = Target<kMode, std::remove_reference_t<decltype(*all.first)>>;
    constexpr std::size_t kRank = std::extent_v<decltype(all.extents)>;
    Shape<Element, kRank> shown{all.first, {}, {}};
    for (std::size_t d = 0; d < kRank; ++d) {
      shown.extents[d] = all.extents[d];
      shown.strides[d] = all.strides[d];
    }
    return GridFootprint<kMode, Element, kRank>{in_each_direction<kRank>(which), shown};
  }
}
template <unsigned kMode, class T>
auto footprint_of(T& data, Part which) noexcept {
  using Plain = std::remove_cv_t<T>;
  if constexpr (is_tile<Plain> || is_cube<Plain> || is_each_of_grid<Plain>) {
    return footprint_of_grid<kMode>(data, which);
  } else if constexpr (is_object_alone<Plain>) {
    return footprint_of<kMode>(*data.pointer, which);
  } else if constexpr (is_each<Plain>) {
    using Pointer = std::remove_pointer_t<decltype(data.pointers)>;
    return EachFootprint<kMode, Pointer>{{data.pointers, data.size, MYR_ROOT, 0}, which};
  } else if constexpr (is_each_in<Plain>) {
    using Pointer = std::remove_pointer_t<decltype(data.pointers)>;
    static_assert(std::is_pointer_v<std::remove_cv_t<Pointer>>,
                  "each(v).inside(region): the elements of v must be pointers to objects");
    return WindowFootprint<kMode, Pointer>{{data, which}};
  } else if constexpr (std::is_pointer_v<Plain>) {
    using Element = Target<kMode, std::remove_pointer_t<Plain>>;
    return PointerFootprint<Element, Mode<kMode>>{{{}, which, ~std::size_t{0}, data}};
  } else if constexpr (std::is_array_v<Plain>) {
    using Element = Target<kMode, std::remove_extent_t<T>>;
    return ArrayFootprint<Element, Mode<kMode>>{{}, which, std::extent_v<Plain>, &data[0]};
  } else {
    constexpr bool has_elements = Contiguous<T> || ValueArray<T>;
    static_assert(has_elements,
                  "in(x, part), out(x, part) and inout(x, part): x must be a pointer, a vector, an "
                  "array, a span, a tile, a cube, or each(v) of objects or regions");
    if constexpr (has_elements) {
      const auto all = elements_of(data);
      using Element = Target<kMode, std::remove_pointer_t<decltype(all.first)>>;
      return ArrayFootprint<Element, Mode<kMode>>{{}, which, all.count, all.first};
    } else {
      return ArrayFootprint<char, Mode<kMode>>{{}, which, 0, nullptr};
    }
  }
}
template <unsigned kMode, class T, std::size_t N>
auto footprint_of(T& data, const Parts<N>& which) noexcept {
  using Plain = std::remove_cv_t<T>;
  constexpr bool is_grid = is_tile<Plain> || is_cube<Plain> || is_each_of_grid<Plain>;
  static_assert(is_grid, "parts(...) is for a tile, a cube, and each() of one");
  if constexpr (is_grid) {
    return footprint_of_grid<kMode>(data, which);
  } else {
    return ArrayFootprint<char, Mode<kMode>>{{}, {}, 0, nullptr};
  }
}

template <class T>
auto& element_of(T& data) noexcept {
  using Plain = std::remove_cv_t<T>;
  if constexpr (is_object_alone<Plain>) {
    return element_of(*data.pointer);
  } else if constexpr (is_tile<Plain>) {
    return *data.data;
  } else if constexpr (is_cube<Plain>) {
    return *data.data();
  } else if constexpr (is_each<Plain> || is_each_in<Plain>) {
    return behind_handle(*data.pointers);
  } else if constexpr (is_each_of_grid<Plain>) {
    return behind_handle(element_of(data.pointers));
  } else if constexpr (std::is_pointer_v<Plain> || std::is_array_v<Plain>) {
    return *data;
  } else if constexpr (Contiguous<T> || ValueArray<T>) {
    return *elements_of(data).first;
  } else {
    return data;  // footprint_of() refuses it
  }
}

template <unsigned kMode, class T, class P>
auto make_part(T& data, const P& which, const myr_site* site) noexcept {
  using Element = std::remove_reference_t<decltype(element_of(data))>;
  auto footprint = footprint_of<kMode>(data, which);
  constexpr bool kOwners = IsOwner<Element>::value || held_count<std::remove_cv_t<Element>>() != 0;
  return PartAccess<decltype(footprint), kOwners>{std::move(footprint), site};
}
// Elements that are named themselves, and not what they point to.
template <class T>
concept HasElements =
    is_tile<T> || std::is_pointer_v<T> || std::is_array_v<T> || Contiguous<T> || ValueArray<T>;

template <>
inline constexpr bool is_part<Part> = true;
template <std::size_t N>
inline constexpr bool is_part<Parts<N>> = true;
template <class P>
struct PartAccesses {
  template <unsigned kMode, class T>
  static auto make(T& data, const P& which, const myr_site* site) noexcept {
    using Element = decltype(element_of(data));
    static_assert(
        !HasElements<std::remove_cv_t<T>> || Nameable<kMode, Element>,
        "in(x, part) would not name all that an element holds: say by myr::parts_of what it holds, "
        "or name the elements alone, in(object(x), part), in all tasks that use any of it");
    return make_part<kMode>(data, which, site);
  }
};

// An argument as a loop over the numbers keeps it: the loop is cut when the call has returned, and
// the vector of each(v) may be gone.
template <class A, class R>
auto kept(A&& argument, [[maybe_unused]] const R& all) {
  using Plain = std::remove_cvref_t<A>;
  if constexpr (requires { argument.footprint.keep(all); }) {
    return argument.with(argument.footprint.keep(all));
  } else {
    return Plain(std::forward<A>(argument));
  }
}

}  // namespace myr::inline v0::detail

namespace myr::inline v0 {

// The objects that the elements of a matrix or a cube point to, or the regions that they are: for
// in(each(tile(pointers, ...)), part).
template <class T>
[[nodiscard]] auto each(Tile<T> pointers) noexcept {
  return detail::EachOfGrid<Tile<T>>{pointers};
}
template <class T>
[[nodiscard]] auto each(Cube<T> pointers) noexcept {
  return detail::EachOfGrid<Cube<T>>{pointers};
}

}  // namespace myr::inline v0
