// SPDX-License-Identifier: Apache-2.0
//
// Loops as tasks, of myr.hpp: what a part of the iterations uses is declared, and the loop is cut
// into parts where that pays. docs/user/loops.md explains it.
//
// clang-format off
//   myr::for_each(myr::range(1, n - 1), myr::in(a, myr::part.grow(1)), myr::out(b, myr::part),
//                 [](auto i, auto x, auto y) { y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3; });
//   myr::for_each(myr::range(n), myr::range(m), myr::in(s, myr::part), myr::out(t, myr::part),
//                 [](auto i, auto j, auto x, auto y) { y(i, j) = x(i, j); });
//   myr::for_each(myr::inout(v), [](double& x) { x = 2 * x; });
//   myr::reduce_each(myr::range(n), myr::reduce(sum, std::plus<>()), myr::in(a, myr::part),
//                    [](auto i, auto x) { return x[i] * x[i]; });
//
//   range                 one, two or three of range(from, to), of any integers; Range2{...}; a
//                         std::views::iota(); or in(v), out(v) or inout(v): the elements of v
//
//   argument              what iterations from..to-1 use
//   in(p, part)           elements p[from] to p[to - 1]; p: a pointer, a vector, an array, a span
//   in(p, part.grow(1))   one more on each side; never past the ends of a vector, array, span, tile
//   in(tile, part)        these rows of a matrix; with two ranges, these rows and columns
//   in(cube, part)        likewise: a direction of x for each range; others are used as a whole
//   in(tile, parts(part.grow(1), whole))   one part for each direction of x
//   in(each(v), part)     the objects that v[from] to v[to - 1] point to, or the regions there; v
//                         may be a tile or a cube
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
//   tiles(rows, columns)  of two ranges: the size of a tile; without it, 64 by 64
//   tiles(a, b, c)        of three; without it, 8 by 8 by 64
// clang-format on
#pragma once

#include <myr/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <myr/elements.hpp>
#include <myr/footprint.hpp>
#include <myr/grid.hpp>
#include <myr/myr.hpp>
#include <myr/sanitized.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

namespace detail {

template <class A>
concept HasWindow = requires(const A& access) { access.footprint.window(std::size_t{0}); };
template <class Space, class A>
inline constexpr bool is_windowed = false;
template <class I, HasWindow A>
inline constexpr bool is_windowed<Line<I>, A> = true;

template <class A>
inline constexpr bool is_loop_argument = is_access<A> || is_part_access<A> || is_reduction<A>;

template <class Space, class A>
std::size_t put_loop_access(const Space& space, const A& argument, Range numbers,
                            myr_access*& next) {
  std::size_t count = 0;
  if constexpr (is_part_access<A>) {
    count = space.put(argument.footprint, numbers, next);
  } else {
    count = put_access(argument, next);
  }
  if (next != nullptr) next += count;
  return count;
}
template <class A>
const myr_site* loop_site(const A& argument) noexcept {
  if constexpr (is_part_access<A>) {
    return argument.site;
  } else {
    return ArgumentOf<A>::site(argument);
  }
}

template <class Space, class Body>
struct LoopCode {
  Body body;
  Space space;
};
template <class Space, class Body, class... A>
struct LoopClosure {
  using Code = LoopCode<Space, Body>;
  Code code;  // at the begin: see kBytes
  std::tuple<A...> arguments;

  // For another process the code is enough, if a copy of its bytes is as good as itself.
  static constexpr bool travels = is_bytes<Body> && !(... || names_owners<A>);
  static constexpr std::size_t kBytes = travels ? sizeof(Code) : 0;

  static std::size_t footprint(const void* data, std::size_t begin, std::size_t end,
                               myr_access* accesses) {
    const auto& self = *static_cast<const LoopClosure*>(data);
    return std::apply(
        [&](const A&... argument) {
          std::size_t count = 0;
          ((count = saturated_sum(
                count, put_loop_access(self.code.space, argument, {begin, end}, accesses))),
           ...);
          return count;
        },
        self.arguments);
  }
  static int run(void* data, std::size_t begin, std::size_t end) {
    const Code& code = static_cast<const LoopClosure*>(data)->code;
    const bool returned = attempt([&] { code.space.run({begin, end}, code.body); });
    if (!returned) note_cut();  // what follows in the part is skipped
    return returned ? 0 : 1;
  }
  static void destroy(void* data) { delete static_cast<LoopClosure*>(data); }
};

template <class Space, class Body, class... A>
void spawn_reducing_loop(const Space& space, std::size_t grain, Body&& body,
                         A&&... arguments);  // of loop_reduction.hpp

template <class Space, class Body, class... A>
void spawn_plain_loop(const Space& space, std::size_t grain, Body&& body, A&&... arguments) {
  using Closure = LoopClosure<Space, std::decay_t<Body>,
                              decltype(kept(std::forward<A>(arguments), space.all()))...>;
  const myr_site* site = first_site(loop_site(arguments)...);
  constexpr bool has_windows = (... && is_windowed<Space, std::decay_t<A>>);  // all or none
  constexpr std::size_t kWindows = has_windows ? sizeof...(A) : 0;
  myr_window windows[kWindows + 1];
  if constexpr (has_windows) {
    myr_window* next = windows;
    ((*next++ = arguments.footprint.window(space.origin())), ...);
  }
  auto* closure = new Closure{{std::forward<Body>(body), space},
                              {kept(std::forward<A>(arguments), space.all())...}};
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
  // What happens to lie between its members may look like an address of this process alone.
  if constexpr (Closure::travels && std::is_trivially_copyable_v<typename Closure::Code>) {
    __builtin_clear_padding(&closure->code);
  }
#endif
#endif
  const Range numbers = space.numbers();
  const myr_loop loop = {sizeof loop,         numbers.from,      numbers.to, grain,   &Closure::run,
                         &Closure::footprint, &Closure::destroy, closure,    windows, kWindows,
                         Closure::kBytes};
  myr_for_at(&loop, site);
}

template <class Space, class Body, class... A>
void spawn_loop(const Space& space, std::size_t grain, Body&& body, A&&... arguments) {
  using All = std::remove_cvref_t<decltype(space.all())>;
  constexpr bool known = (... && is_loop_argument<std::decay_t<A>>);
  static_assert(known,
                "what stands between the range and the body of a loop must be in(), out(), "
                "inout(), concurrent(), commutative(), reduce() or by_part()");
  if constexpr (known && (... || is_reduction<std::decay_t<A>>)) {
    spawn_reducing_loop(space, grain, std::forward<Body>(body), std::forward<A>(arguments)...);
  } else if constexpr (known) {
    if constexpr (check_body<std::decay_t<Body>, All>()) {
      spawn_plain_loop(space, grain, std::forward<Body>(body), std::forward<A>(arguments)...);
    }
  }
}

// A body that is not called if the memory of an access has failed to come about.
template <class Body, class R, class Guards>
struct GuardedBody {
  Body body;
  Guards guards;

  template <std::same_as<R> Part, class... Own>
    requires takes_plainly<Body, R, Own...>
  void operator()(const Part& part, Own&... own) const {
    std::apply([](const auto&... guard) { (guard.check(), ...); }, guards);
    run_iterations(body, part, own...);
  }
};
// The body of a loop over `all` with these arguments, guarded if one of them asks for it.
template <class R, class Body, class... A>
decltype(auto) guarded_body(const R& /*all*/, Body&& body, const A&... arguments) {
  if constexpr ((... || Guarding<A>)) {
    auto guards = std::tuple_cat(guards_of(arguments)...);
    return GuardedBody<std::decay_t<Body>, R, decltype(guards)>{std::forward<Body>(body),
                                                                std::move(guards)};
  } else {
    return std::forward<Body>(body);
  }
}

// Defined in view_body.hpp.
template <class R, class Body, class... A>
auto with_views(const R& all, Body&& body, const A&... arguments);
template <class Body, class R, class... A>
constexpr bool wants_views_into();
template <class R, class Body, class Into, class... A>
auto with_views_into(const R& all, Body&& body, const Into& into, const A&... arguments);

// ---- what a call says ---------------------------------------------------------------------------

template <class A>
inline constexpr bool is_attribute = std::is_same_v<A, Grain>;
template <std::size_t N>
inline constexpr bool is_attribute<TileSize<N>> = true;
template <class A>
concept Attribute = is_attribute<std::remove_cvref_t<A>>;

// The values of a std::views::iota(), which <ranges> need not be included for.
template <class V>
inline constexpr bool is_iota = false;
template <template <class, class> class V, class T, class To>
inline constexpr bool is_iota<V<T, To>> = Integer<T> && std::is_constructible_v<V<T, To>, T, To> &&
                                          requires(const V<T, To>& v, T number) {
                                            requires std::is_same_v<decltype(v.begin()[0]), T>;
                                            v.size();
                                          };
template <class V>
concept Iota = is_iota<std::remove_cvref_t<V>>;

template <std::size_t N, class Run, class R, class Next, class... A>
void read_ranges(const Cut<N>& cut, const Run& run, const R& all, Next&& next, A&&... rest) {
  if constexpr (rank_of<std::remove_cvref_t<Next>> == 1 && rank_of<R> < 3) {
    static_assert(sizeof...(A) > 0, "a loop needs a body, its last argument");
    if constexpr (sizeof...(A) > 0) {
      read_ranges(cut, run, joined(all, next), std::forward<A>(rest)...);
    }
  } else {
    static_assert(
        !(Attribute<Next> || ... || Attribute<A>),
        "grain() and tiles() stand in front of the range: for_each(grain(64), range, ...)");
    if constexpr (!(Attribute<Next> || ... || Attribute<A>)) {
      run(space_of(cut, all), cut.grain, std::forward<Next>(next), std::forward<A>(rest)...);
    }
  }
}
template <std::size_t N, class Run, class E, class... A>
void read_elements(const Cut<N>& cut, const Run& run, const E& elements, A&&... rest) {
  constexpr bool is_whole_call = sizeof...(A) > Run::kLead;
  static_assert(is_whole_call, "a loop needs a body, its last argument");
  static_assert(!(... || Attribute<A>),
                "grain() and tiles() stand in front: for_each(grain(64), inout(v), ...)");
  if constexpr (is_whole_call && !(... || Attribute<A>)) {
    run_over_elements(run, space_of(cut, Range{0, elements.footprint.size}), cut.grain, elements,
                      std::forward_as_tuple(std::forward<A>(rest)...),
                      std::make_index_sequence<Run::kLead>(),
                      std::make_index_sequence<sizeof...(A) - Run::kLead - 1>());
  }
}
// Attributes, then ranges, or an access to elements, then what run() gets behind them.
template <std::size_t N, class Run, class First, class... A>
void read_loop(const Cut<N>& cut, const Run& run, First&& first, A&&... rest) {
  static_assert(sizeof...(A) > 0, "a loop needs a body, its last argument");
  if constexpr (sizeof...(A) == 0) {
    return;
  } else if constexpr (std::is_same_v<std::remove_cvref_t<First>, Grain>) {
    read_loop(Cut<N>{first.iterations, cut.tiles}, run, std::forward<A>(rest)...);
  } else if constexpr (Attribute<First>) {
    read_loop(Cut<sizeof(first) / sizeof(std::size_t)>{cut.grain, first}, run,
              std::forward<A>(rest)...);
  } else if constexpr (Iota<First>) {
    const auto from = *first.begin();
    using Number = std::remove_const_t<decltype(from)>;
    read_ranges(
        cut, run,
        IndexRange<Number>{from, static_cast<Number>(from + static_cast<Number>(first.size()))},
        std::forward<A>(rest)...);
  } else if constexpr (Numbers<First>) {
    if constexpr (rank_of<std::remove_cvref_t<First>> == 1) {
      read_ranges(cut, run, first, std::forward<A>(rest)...);
    } else {
      run(space_of(cut, first), cut.grain, std::forward<A>(rest)...);
    }
  } else {
    read_elements(cut, run, access_to_part(first), std::forward<A>(rest)...);
  }
}
template <class First>
concept StartsLoop = Attribute<First> || Numbers<First> || Iota<First> || ElementAccess<First>;

// Iterators are for std::for_each(), which may be a candidate, too.
template <class First>
concept StartsNoLoop =
    !StartsLoop<First> && !Integer<std::remove_cvref_t<First>> &&
    !Contiguous<std::remove_cvref_t<First>> && !std::forward_iterator<std::remove_cvref_t<First>> &&
    !std::is_same_v<First, Refused>;

// The loop of a call as tasks of the caller's own.
struct SpawnLoop {
  template <class Space, class Body, class... A>
  void operator()(const Space& space, std::size_t grain, Body&& body, A&&... arguments) const {
    spawn_loop(space, grain, guarded_body(space.all(), std::forward<Body>(body), arguments...),
               std::forward<A>(arguments)...);
  }
};

// The body is the last argument: for (a, b, body) calls spawn(space, grain, body, a, b).
template <class Spawn>
struct ForEach {
  static constexpr std::size_t kLead = 0;
  Spawn spawn;

  template <class Space, class... A>
  void operator()(const Space& space, std::size_t grain, A&&... arguments) const {
    turn(space, grain, std::forward_as_tuple(std::forward<A>(arguments)...),
         std::make_index_sequence<sizeof...(A) - 1>());
  }

 private:
  template <class Space, class Tuple, std::size_t... I>
  void turn(const Space& space, std::size_t grain, Tuple&& all, std::index_sequence<I...>) const {
    using Body = std::remove_cvref_t<std::tuple_element_t<sizeof...(I), Tuple>>;
    using R = std::remove_cvref_t<decltype(space.all())>;
    if constexpr (takes_plainly<Body, R>) {
      if constexpr (sees_cut<Body, R>) note_cut();
      spawn(space, grain, std::get<sizeof...(I)>(std::move(all)), std::get<I>(std::move(all))...);
    } else {
      spawn(space, grain,
            with_views(space.all(), std::get<sizeof...(I)>(std::move(all)), std::get<I>(all)...),
            std::get<I>(std::move(all))...);
    }
  }
};

}  // namespace detail

// These iterations use what function(range), an in(), out(), ... of anything, says. What it
// says of some iterations must contain what it says of a part of them.
template <class F>
[[nodiscard]] auto by_part(F function, const void* site = __builtin_source_location()) {
  detail::note_cut();
  constexpr bool takes_range = std::is_invocable_v<F&, Range>;
  auto footprint = [function = std::move(function)](const auto& some, myr_access* next) {
    const auto& rows = detail::side<0>(some);
    constexpr bool takes = std::is_invocable_v<const F&, decltype(rows)>;
    static_assert(
        takes,
        "the function of by_part() must take the numbers of some iterations: a Range, or, "
        "if they are signed, an IndexRange of their type");
    if constexpr (takes) {
      return detail::put_access(function(rows), next);
    } else {
      return std::size_t{0};
    }
  };
  // Nothing is known of other numbers before the loop.
  constexpr bool kOwners = [] {
    if constexpr (takes_range) {
      return detail::names_owners<std::remove_cvref_t<std::invoke_result_t<F&, Range>>>;
    } else {
      return true;
    }
  }();
  return detail::PartAccess<decltype(footprint), kOwners>{std::move(footprint),
                                                          static_cast<const myr_site*>(site)};
}

// for_each(range, accesses..., body): runs the body for each number of the range, as tasks. Returns
// at once; what uses the memory later waits for the iterations that use it, and no others. With the
// declared accesses the result is that of the serial loop. If a body throws, the iterations behind
// it that belong to its part do not run; the failure goes to the next wait, as a task's does.
// Attributes stand first, as spawn()'s do: for_each(grain(64), range, ...). With two or three
// ranges the body gets a number of each; the loop runs tile by tile.
// Cost: two allocations, and one for each each(v), with the elements that the loop uses; on smp
// four tasks a worker at most, fewer if the loop is short; on one worker none but the first.
template <detail::StartsLoop First, class... A>
void for_each(First&& first, A&&... arguments) {
  detail::read_loop(detail::Cut<0>(), detail::ForEach<detail::SpawnLoop>(),
                    std::forward<First>(first), std::forward<A>(arguments)...);
}

template <class First, class... A>
  requires detail::Integer<std::remove_cvref_t<First>>
MYR_REFUSED("a loop runs over a range: write for_each(myr::range(from, to), ...)")
void for_each(First&&, A&&...) {}
template <class V, class... A>
  requires(detail::Contiguous<std::remove_cvref_t<V>>)
MYR_REFUSED(
    "a loop says what it does with the elements: write for_each(inout(v), [](auto& x) { ... }), or "
    "in(v), or out(v)")
void for_each(V&&, A&&...) {}
template <class... A>
void for_each(detail::Refused, A&&...) {}  // what is wrong has been said
template <class First, class... A>
  requires detail::StartsNoLoop<First>
MYR_REFUSED(
    "a loop runs over range(from, to), or over the elements that lie side by side in a vector, an "
    "array or a span: for_each(inout(v), ...)")
void for_each(First&&, A&&...) {}

}  // namespace myr::inline v0

#include <myr/loop_reduction.hpp>  // loops with reduce(), reduce_each(); Scope
#include <myr/view_body.hpp>       // bodies that get what the loop declares
