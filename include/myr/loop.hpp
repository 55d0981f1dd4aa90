// SPDX-License-Identifier: Apache-2.0
//
// Loops as tasks, of myr.hpp: what a part of the iterations uses is declared, and the loop is cut
// into parts where that pays. docs/user/loops.md explains it.
//
// clang-format off
//   myr::for_each(myr::range(1, n - 1), myr::in(a, myr::part.grow(1)), myr::out(b, myr::part),
//                 [](auto i, auto x, auto y) { y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3; });
//   myr::reduce_each(myr::range(n), myr::reduce(sum, std::plus<>()), myr::in(a, myr::part),
//                    [](auto i, auto x) { return x[i] * x[i]; });
//
//   argument              what iterations from..to-1 use
//   in(p, part)           elements p[from] to p[to - 1]; p: a pointer, a vector, an array, a span
//   in(p, part.grow(1))   one more on each side; never past the ends of a vector, array, span, tile
//   in(tile, part)        these rows of a matrix
//   in(each(v), part)     the objects that v[from] to v[to - 1] point to, or the regions there
//   in(each(v).inside(r), part)  the same of objects that are all in region r: if all accesses of a
//                         loop are so, trees of schedulers take it whole, to where the regions are
//   each(v).inside(r).at(n)   v[0] belongs to iteration n, which may be negative
//   by_part(function)     what function(Range{from, to}), some in(...), says
//   in(x), in(r)          all of x, the whole region r
//   reduce(x, op)         x, once all has run; the body gets a T& of its own, behind the index
//   body                  called as body(i, what the accesses hand on...), see view_body.hpp; as
//                         body(i), or as body(Range), which runs a part by itself
//
//   attribute, in front   as in for_each(grain(64), range, ...)
//   grain(n)              parts have at least n iterations; without it, some microseconds' worth
// clang-format on
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <memory>
#include <myr/myr.hpp>
#include <myr/view.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr {

// In place of the iterations of a part, in accesses of a loop: `part`, `part.grow(1)`.
struct Part {
  std::size_t before = 0;
  std::size_t after = 0;
  // So many more on each side, or on one.
  [[nodiscard]] constexpr Part grow(std::size_t both) const noexcept { return grow(both, both); }
  [[nodiscard]] constexpr Part grow(std::size_t more_before,
                                    std::size_t more_after) const noexcept {
    return {detail::saturated_sum(before, more_before), detail::saturated_sum(after, more_after)};
  }
  // The grown range, within 0..size-1.
  [[nodiscard]] constexpr Range of(Range r, std::size_t size) const noexcept {
    const std::size_t to = detail::saturated_sum(r.to, after);
    return {detail::saturated_difference(r.from, before), to < size ? to : size};
  }
};
inline constexpr Part part{};

namespace detail {

struct Grain {
  std::size_t iterations;
};
// An access of a loop: `footprint(range, next)` counts, and writes if next is not nullptr.
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

// Of whole objects, and of regions.
template <class T>
auto name_of(const T& handle) noexcept {
  if constexpr (std::is_same_v<T, Region>) {
    return handle;
  } else {
    return std::to_address(handle);
  }
}
// A pointer names an object that a region made, as in in(p); a smart pointer owns another.
template <class Handle>
constexpr std::size_t bytes_behind() noexcept {
  if constexpr (std::is_same_v<Handle, Region> || std::is_pointer_v<Handle>) {
    return 0;
  } else {
    return sizeof(*std::declval<const Handle&>());
  }
}

// Of those in the range; `Handle` is their type in the user's vector. What their accesses have in
// common is made once: a copy of it takes two stores, and so many accesses are most of what a loop
// costs.
template <unsigned Mode, class Handle, class T>
void put_behind(const T* handles, Range range, myr_access* next) noexcept {
  if (range.size() == 0) return;
  if constexpr (std::is_same_v<T, Region>) {
    for (const std::size_t i : range) *next++ = myr_region_access(handles[i].id(), Mode);
  } else {
    constexpr std::size_t kBytes = bytes_behind<Handle>();
    const myr_access first =
        myr_make_access(nullptr, kBytes, kBytes == 0 ? Mode | MYR_WHOLE : Mode);
    for (const std::size_t i : range) {
      *next = first;
      next->address = const_cast<void*>(static_cast<const void*>(std::to_address(handles[i])));
      ++next;
    }
  }
}

// What the body may do with what is declared in this mode.
template <unsigned Mode, class T>
using Shown = std::conditional_t<Mode == MYR_IN, const T, T>;

template <unsigned Mode, class T>
struct ArrayFootprint {
  Part which;
  std::size_t size;
  T* first;

  std::size_t operator()(Range range, myr_access* next) const noexcept {
    const Range used = which.of(range, size);
    if (next != nullptr) {
      *next = access_to_bytes(element_at(first, used.from), bytes_of(used.size(), sizeof(T)), Mode);
    }
    return 1;
  }
  [[nodiscard]] auto view(Range range, const myr_site* site) const noexcept {
    return ArrayView<Shown<Mode, T>, is_checked>(first, which.of(range, size), site);
  }
};
template <unsigned Mode, class T>
struct RowsFootprint {
  Tile<T> all;
  Part which;

  std::size_t operator()(Range range, myr_access* next) const noexcept {
    const Range rows = which.of(range, all.rows);
    Tile<T> some = all;
    some.data = element_at(all.data, saturated_product(rows.from, all.stride));
    some.rows = rows.size();
    return put_access(TileAccess<T>{some, Mode, nullptr}, next);
  }
  [[nodiscard]] auto view(Range range, const myr_site* site) const noexcept {
    return MatrixView<Shown<Mode, T>, is_checked>(shown(all), which.of(range, all.rows),
                                                  Range{0, all.columns}, site);
  }

 private:
  static Tile<Shown<Mode, T>> shown(const Tile<T>& tile) noexcept {
    return {tile.data, tile.rows, tile.columns, tile.stride};
  }
};

// The address of an object, or the region, that an element of each(v) stands for.
template <class T>
using Named = decltype(name_of(std::declval<const T&>()));

// The elements from number `origin` on, as a loop has them: as long as it is not over.
template <unsigned Mode, class Handle, class Footprint, class T>
struct KeptEach {
  Footprint all;
  std::size_t origin;
  std::unique_ptr<T[]> names;

  std::size_t operator()(Range range, myr_access* next) const noexcept {
    const Range used = all.used(range);
    if (next != nullptr) put_behind<Mode, Handle>(names.get(), used.moved_back(origin), next);
    return used.size();
  }
  [[nodiscard]] auto view(Range range, const myr_site* site) const noexcept {
    using Object = std::remove_pointer_t<T>;
    using Seen = std::conditional_t<std::is_same_v<T, Region>, Region, Shown<Mode, Object>>;
    return EachView<Seen, Object, is_checked>(names.get(),
                                              origin + static_cast<std::size_t>(all.all.first),
                                              all.which.of(range, ~std::size_t{0}), site);
  }
};

template <unsigned Mode, class T>
struct EachFootprint {
  EachIn<T> all;
  Part which;

  std::size_t operator()(Range range, myr_access* next) const noexcept {
    const Range numbers = used(range);
    if (next != nullptr) put_behind<Mode, std::remove_cv_t<T>>(all.pointers, numbers, next);
    return numbers.size();
  }
  // The numbers of the elements.
  [[nodiscard]] Range used(Range range) const noexcept {
    const bool is_late = all.first >= 0;  // the first element's iteration
    const auto first = static_cast<std::size_t>(all.first);
    const std::size_t on = is_late ? 0 : 0 - first;
    const std::size_t back = is_late ? first : 0;
    return {number_of(range.from, on, saturated_sum(back, which.before)),
            number_of(range.to, saturated_sum(on, which.after), back)};
  }
  [[nodiscard]] auto keep(Range range) const {
    const Range kept = used(range);
    std::unique_ptr<Named<T>[]> names(new Named<T>[kept.size()]);
    for (const std::size_t i : kept) names[i - kept.from] = name_of(all.pointers[i]);
    return KeptEach<Mode, std::remove_cv_t<T>, EachFootprint, Named<T>>{*this, kept.from,
                                                                        std::move(names)};
  }

 private:
  // So many further on and back than the iteration's number says.
  [[nodiscard]] std::size_t number_of(std::size_t iteration, std::size_t on,
                                      std::size_t back) const noexcept {
    const std::size_t number = on < back ? saturated_difference(iteration, back - on)
                                         : saturated_sum(iteration, on - back);
    return number < all.size ? number : all.size;
  }
};

template <unsigned Mode, class T>
struct WindowFootprint : EachFootprint<Mode, T> {
  [[nodiscard]] myr_window window() const noexcept {
    const EachIn<T>& in = this->all;
    return {in.region,        Mode,     reinterpret_cast<void* const*>(in.pointers),
            in.size,          in.first, this->which.before,
            this->which.after};
  }
};
template <class A>
concept HasWindow = requires(const A& access) { access.footprint.window(); };
template <class A>
void put_window(const A& access, myr_window*& next) noexcept {
  if constexpr (HasWindow<A>) *next++ = access.footprint.window();
}

// An argument as a loop over the range keeps it: the loop is cut when the call has returned, and
// the vector of each(v) may be gone.
template <class A, class R>
auto kept(A&& argument, [[maybe_unused]] R range) {
  using Plain = std::remove_cvref_t<A>;
  if constexpr (requires { argument.footprint.keep(range); }) {
    return argument.with(argument.footprint.keep(range));
  } else {
    return Plain(std::forward<A>(argument));
  }
}

template <unsigned Mode, class T>
auto part_footprint(T& data, Part which) noexcept {
  using Plain = std::remove_cv_t<T>;
  if constexpr (is_tile<Plain>) {
    using Element = std::remove_pointer_t<decltype(data.data)>;
    return RowsFootprint<Mode, Element>{data, which};
  } else if constexpr (is_each<Plain>) {
    using Pointer = std::remove_pointer_t<decltype(data.pointers)>;
    return EachFootprint<Mode, Pointer>{{data.pointers, data.size, MYR_ROOT, 0}, which};
  } else if constexpr (is_each_in<Plain>) {
    using Pointer = std::remove_pointer_t<decltype(data.pointers)>;
    static_assert(std::is_pointer_v<std::remove_cv_t<Pointer>>,
                  "each(v).inside(region): the elements of v must be pointers to objects");
    return WindowFootprint<Mode, Pointer>{{data, which}};
  } else if constexpr (std::is_pointer_v<Plain>) {
    return ArrayFootprint<Mode, std::remove_pointer_t<Plain>>{which, ~std::size_t{0}, data};
  } else if constexpr (std::is_array_v<Plain>) {
    return ArrayFootprint<Mode, std::remove_extent_t<T>>{which, std::extent_v<Plain>, &data[0]};
  } else {
    constexpr bool has_elements = Contiguous<T> || ValueArray<T>;
    static_assert(has_elements,
                  "in(x, part), out(x, part) and inout(x, part): x must be a pointer, a vector, an "
                  "array, a span, a tile, or each(v) of objects or regions");
    if constexpr (has_elements) {
      const auto all = elements_of(data);
      using Element = std::remove_pointer_t<decltype(all.first)>;
      return ArrayFootprint<Mode, Element>{which, all.count, all.first};
    } else {
      return ArrayFootprint<Mode, char>{which, 0, nullptr};
    }
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
template <class T>
auto& element_of(T& data) noexcept {
  using Plain = std::remove_cv_t<T>;
  if constexpr (is_tile<Plain>) {
    return *data.data;
  } else if constexpr (is_each<Plain> || is_each_in<Plain>) {
    return behind_handle(*data.pointers);
  } else if constexpr (std::is_pointer_v<Plain> || std::is_array_v<Plain>) {
    return *data;
  } else if constexpr (Contiguous<T> || ValueArray<T>) {
    return *elements_of(data).first;
  } else {
    return data;  // part_footprint() refuses it
  }
}

template <unsigned Mode, class T>
auto make_part(T& data, Part which, const myr_site* site) noexcept {
  using Element = std::remove_reference_t<decltype(element_of(data))>;
  auto footprint = part_footprint<Mode>(data, which);
  return PartAccess<decltype(footprint), IsOwner<Element>::value>{std::move(footprint), site};
}
template <>
inline constexpr bool is_part<Part> = true;
template <>
struct PartAccesses<Part> {
  template <unsigned kMode, class T>
  static auto make(T& data, Part which, const myr_site* site) noexcept {
    return make_part<kMode>(data, which, site);
  }
};

template <class A>
inline constexpr bool is_loop_argument =
    is_access<A> || is_part_access<A> || is_reduction<A> || std::is_same_v<A, Grain>;

template <class A>
std::size_t put_loop_access(const A& argument, Range range, myr_access*& next) {
  std::size_t count = 0;
  if constexpr (is_part_access<A>) {
    count = argument.footprint(range, next);
  } else if constexpr (!std::is_same_v<A, Grain>) {
    count = put_access(argument, next);
  }
  if (next != nullptr) next += count;
  return count;
}
template <class A>
const myr_site* loop_site(const A& argument) noexcept {
  if constexpr (std::is_same_v<A, Grain>) return nullptr;
  if constexpr (is_part_access<A>) return argument.site;
  if constexpr (!is_part_access<A> && !std::is_same_v<A, Grain>) {
    return ArgumentOf<A>::site(argument);
  }
}
template <class A>
void note_grain(const A& argument, std::size_t& grain) noexcept {
  if constexpr (std::is_same_v<A, Grain>) grain = argument.iterations;
}

// How a body is called: once for each iteration, or for some at once. `Own`: what it gets behind
// the index.
template <class Body, class... Own>
inline constexpr bool takes_index = std::is_invocable_v<const Body&, std::size_t, Own&...>;
template <class Body, class... Own>
constexpr bool check_body() {
  constexpr bool takes =
      takes_index<Body, Own...> || std::is_invocable_v<const Body&, Range, Own&...>;
  static_assert(takes,
                "the last argument of a loop is its body, which takes an index or a Range, and a "
                "T& for each reduce(); it is called in several places at once, so it cannot be "
                "a mutable lambda");
  return takes;
}

// A small body is copied to the stack: so the compiler knows that what the iterations write is no
// part of it.
template <class Body, class... Own>
void run_iterations(const Body& body, Range range, Own&... own) {
  const auto run_with = [&](const Body& code) {
    if constexpr (takes_index<Body, Own...>) {
      for (std::size_t i = range.from; i < range.to; ++i) code(i, own...);
    } else {
      code(range, own...);
    }
  };
  if constexpr (std::is_trivially_copyable_v<Body> && sizeof(Body) <= 256) {
    const Body copy = body;
    run_with(copy);
  } else {
    run_with(body);
  }
}

template <class Body, class... A>
struct LoopClosure {
  Body body;  // at the begin: see kBytes
  std::tuple<A...> arguments;

  // For another process the body is enough, if a copy of its bytes is as good as itself.
  static constexpr bool travels = is_bytes<Body> && !(... || names_owners<A>);
  static constexpr std::size_t kBytes = travels ? sizeof(Body) : 0;

  static std::size_t footprint(const void* data, std::size_t begin, std::size_t end,
                               myr_access* accesses) {
    const auto& self = *static_cast<const LoopClosure*>(data);
    return std::apply(
        [&](const A&... argument) {
          std::size_t count = 0;
          ((count = saturated_sum(count, put_loop_access(argument, Range{begin, end}, accesses))),
           ...);
          return count;
        },
        self.arguments);
  }
  static int run(void* data, std::size_t begin, std::size_t end) {
    const auto& self = *static_cast<const LoopClosure*>(data);
    const bool returned = attempt([&] { run_iterations(self.body, {begin, end}); });
    return returned ? 0 : 1;
  }
  static void destroy(void* data) { delete static_cast<LoopClosure*>(data); }
};

template <class Body, class... A>
void spawn_reducing_loop(Range range, Body&& body, A&&... arguments);  // of loop_reduction.hpp

template <class Body, class... A>
void spawn_loop(Range range, Body&& body, A&&... arguments) {
  using Code = std::decay_t<Body>;
  constexpr bool known = (... && is_loop_argument<std::decay_t<A>>);
  static_assert(known,
                "what stands between the range and the body of a loop must be in(), out(), "
                "inout(), concurrent(), commutative(), reduce() or by_part()");
  if constexpr (known && (... || is_reduction<std::decay_t<A>>)) {
    spawn_reducing_loop(range, std::forward<Body>(body), std::forward<A>(arguments)...);
  } else if constexpr (known) {
    if constexpr (check_body<Code>()) {
      using Closure = LoopClosure<Code, decltype(kept(std::forward<A>(arguments), range))...>;
      std::size_t grain = 0;
      (note_grain(arguments, grain), ...);
      const myr_site* site = first_site(loop_site(arguments)...);
      // All of them or none.
      constexpr bool has_windows =
          (... && (HasWindow<std::decay_t<A>> || std::is_same_v<std::decay_t<A>, Grain>));
      myr_window windows[sizeof...(A) + 1];
      myr_window* next = windows;
      if constexpr (has_windows) (put_window(arguments, next), ...);
      auto* closure =
          new Closure{std::forward<Body>(body), {kept(std::forward<A>(arguments), range)...}};
      const myr_loop loop = {range.from,
                             range.to,
                             grain,
                             &Closure::run,
                             &Closure::footprint,
                             &Closure::destroy,
                             closure,
                             windows,
                             static_cast<std::size_t>(next - windows),
                             Closure::kBytes};
      myr_for_at(&loop, site);
    }
  }
}

// Is the body called with numbers, or a range, and the values of reductions only?
// The index first: a generic lambda that takes one may be no more than an error with a range.
template <class Body, class R, class... Own>
constexpr bool takes_plainly = std::disjunction_v<
    std::conditional_t<std::is_same_v<R, Range>,
                       std::is_invocable<const Body&, std::size_t, Own&...>,
                       std::is_invocable<const Body&, std::size_t, std::size_t, Own&...>>,
    std::is_invocable<const Body&, R, Own&...>>;

// Of view_body.hpp.
template <class R, class Body, class... A>
auto with_views(const R& all, Body&& body, const A&... arguments);
template <class Body, class R, class... A>
constexpr bool wants_views_into();
template <class R, class Body, class Into, class... A>
auto with_views_into(const R& all, Body&& body, const Into& into, const A&... arguments);

// The body is the last argument: turns (range, a, b, body) into (range, body, a, b).
template <class Tuple, std::size_t... I>
void spawn_body_last(Range range, Tuple&& all, std::index_sequence<I...>) {
  using Body = std::remove_cvref_t<std::tuple_element_t<sizeof...(I), Tuple>>;
  if constexpr (takes_plainly<Body, Range>) {
    spawn_loop(range, std::get<sizeof...(I)>(std::move(all)), std::get<I>(std::move(all))...);
  } else {
    spawn_loop(range,
               with_views(range, std::get<sizeof...(I)>(std::move(all)), std::get<I>(all)...),
               std::get<I>(std::move(all))...);
  }
}

// A loop with its attributes among the arguments.
struct TileSize;  // of loop2.hpp
template <class A>
concept LoopAttribute = std::is_same_v<A, Grain> || std::is_same_v<A, TileSize>;
template <class A>
concept LoopRange = !LoopAttribute<A>;
template <class... A>
constexpr void check_arguments() {
  static_assert(sizeof...(A) > 0, "a loop needs a body, its last argument");
  static_assert(!(... || LoopAttribute<std::decay_t<A>>),
                "grain() and tiles() stand in front of the range: for_each(grain(64), range, ...)");
}
template <class... A>
void loop_over(Range range, A&&... arguments) {
  spawn_body_last(range, std::forward_as_tuple(std::forward<A>(arguments)...),
                  std::make_index_sequence<sizeof...(A) - 1>());
}

}  // namespace detail

// What function(range), an in(), out(), ... of anything, says that these iterations use. What it
// says of some iterations must contain what it says of a part of them.
template <class F>
[[nodiscard]] auto by_part(F function, const void* site = __builtin_source_location()) {
  auto footprint = [function = std::move(function)](Range range, myr_access* next) {
    return detail::put_access(function(range), next);
  };
  using Uses = std::remove_cvref_t<std::invoke_result_t<F&, Range>>;
  return detail::PartAccess<decltype(footprint), detail::names_owners<Uses>>{
      std::move(footprint), static_cast<const myr_site*>(site)};
}
// No part has fewer iterations, but if the loop has.
[[nodiscard]] constexpr detail::Grain grain(std::size_t iterations) noexcept {
  return {iterations == 0 ? 1 : iterations};
}

// for_each(range, accesses..., body): runs the body for each number of the range, as tasks. Returns
// at once; what uses the memory later waits for the iterations that use it, and no others. With the
// declared accesses the result is that of the serial loop. If a body throws, the iterations behind
// it that belong to its part do not run; the failure goes to the next wait, as a task's does.
// Attributes stand first, as spawn()'s do: for_each(grain(64), range, ...).
// Cost: two allocations, and one for each each(v), with the elements that the loop uses; on smp
// four tasks a worker at most, fewer if the loop is short; on one worker none but the first.
template <class... A>
void for_each(Range range, A&&... arguments) {
  detail::check_arguments<A...>();
  if constexpr (sizeof...(A) > 0) detail::loop_over(range, std::forward<A>(arguments)...);
}
template <detail::LoopAttribute First, detail::LoopRange R, class... A>
void for_each(First attribute, const R& range, A&&... arguments) {
  detail::check_arguments<A...>();
  if constexpr (sizeof...(A) > 0) loop_over(range, attribute, std::forward<A>(arguments)...);
}
template <detail::LoopAttribute First, detail::LoopAttribute Second, class R, class... A>
void for_each(First first, Second second, const R& range, A&&... arguments) {
  detail::check_arguments<A...>();
  if constexpr (sizeof...(A) > 0) loop_over(range, first, second, std::forward<A>(arguments)...);
}

template <class First, class... A>
  requires std::is_integral_v<std::remove_cvref_t<First>>
MYR_REFUSED("a loop runs over a Range: write for_each(myr::Range{from, to}, ...)")
void for_each(First&&, A&&...) {}
template <class V, class... A>
  requires detail::Contiguous<std::remove_cvref_t<V>>
MYR_REFUSED(
    "a loop runs over the numbers of elements: write for_each(myr::Range{0, v.size()}, "
    "inout(v, part), [p = v.data()](std::size_t i) { use p[i] })")
void for_each(V&&, A&&...) {}

}  // namespace myr

#include <myr/loop2.hpp>           // the same over pairs
#include <myr/loop_reduction.hpp>  // loops with reduce(), reduce_each()
#include <myr/scope.hpp>           // Scope, which has loops
#include <myr/view_body.hpp>       // bodies that get what the loop declares
