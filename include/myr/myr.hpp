// SPDX-License-Identifier: Apache-2.0
//
// Myrmidon's C++ interface: typed accesses, closures as tasks, regions as objects. A thin layer
// over myr.h, header only, with the same rules (docs/semantics.md).
//
// clang-format off
//   myr::Region tree = myr::Region::create();
//   Node* root = tree.make<Node>();
//   myr::spawn(build, myr::inout(tree), root, 20);          // a function and its arguments
//   myr::spawn([](const Grid& a, Grid& b) { ... }, myr::in(a), myr::out(b));
//   myr::wait(myr::in(tree));                               // main may look at the tree
//   myr::wait_all();                                        // rethrows what a task threw
//
// What a task's function receives for each argument of spawn(); out(), inout(), concurrent() and
// commutative() are like in(), without the const:
//
//   argument   received     what is declared
//   in(x)      const T&     x, any lvalue but a handle, and what it holds (out(x), inout(x): T&)
//   in(object(x))  const T& x alone: the vector without its elements, the pointer itself
//   in(view)   view         what a span, a string_view or an mdspan looks at; its elements const
//   in(p)      const T*     the object that begins at p, which a region made (out(p), inout(p):
//                           T*); for another object write in(*p)
//   in(maybe(p))  const T*  the same, or nothing if p is null
//   in(p, n)   const T*     n elements from p on
//   in(tile)   Tile<const T>  a rectangle of a row-major matrix, see tile()
//   in(r)      Region       the region and everything in it
//   reduce(x, op)  T&       x; the function gets a copy of its own, see reduce()
//   else       the value    nothing; the value is copied or moved into the task
// clang-format on
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <myr/access.hpp>
#include <myr/closure.hpp>
#include <myr/event.hpp>
#include <myr/exception.hpp>
#include <myr/owned_region.hpp>
#include <myr/problem.hpp>
#include <myr/refused.hpp>
#include <myr/region.hpp>
#include <myr/saved_closure.hpp>
#include <myr/spawn.hpp>
#include <new>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

// Does the calling task use something in a cancelled region? Then it may as well return.
[[nodiscard]] inline bool is_cancelled() { return myr_cancelled() != 0; }

// All processes of the machine know from here on what a global or static variable holds now: see
// myr_publish().
template <class T>
void publish(const T& variable, const void* site = __builtin_source_location()) {
  static_assert(std::is_trivially_copyable_v<T>,
                "only variables that are no more than their bytes can be published");
  myr_publish_at(std::addressof(variable), sizeof variable, static_cast<const myr_site*>(site));
}

namespace detail {

// As much of <chrono> as a duration needs.
template <class D>
concept IsDuration = requires(const D& duration) {
  duration.count();
  D::period::num;
  D::period::den;
};
template <class D>
std::uint64_t nanoseconds_of(const D& duration) noexcept {
  constexpr long double kMost = 1e18L;  // some thirty years
  const long double ns = static_cast<long double>(duration.count()) *
                         static_cast<long double>(D::period::num) * 1e9L /
                         static_cast<long double>(D::period::den);
  return ns < kMost ? static_cast<std::uint64_t>(ns > 0 ? ns : 0)
                    : static_cast<std::uint64_t>(kMost);
}

template <class... A>
concept ForWait = sizeof...(A) > 0 && (... && is_access<A>);
template <class... A>
inline constexpr bool is_for_wait_for = false;
template <class D, class... A>
inline constexpr bool is_for_wait_for<D, A...> = IsDuration<D> && ForWait<A...>;

// call(accesses, count, site)
template <class Call, class... A>
decltype(auto) with_accesses(const Call& call, const A&... arguments) {
  const std::size_t count = saturated_total(ArgumentOf<A>::count(arguments)...);
  const myr_site* site = first_site(ArgumentOf<A>::site(arguments)...);
  if (!is_sized(count)) myr_wait_at(nullptr, count, site);  // says so
  const std::unique_ptr<myr_access[]> accesses(new myr_access[count]);
  myr_access* next = accesses.get();
  (ArgumentOf<A>::fill(arguments, next), ...);
  return call(accesses.get(), count, site);
}
template <class... A>
bool wait_for_ns(std::uint64_t timeout, const A&... arguments) {
  const auto call = [timeout](const myr_access* accesses, std::size_t count, const myr_site* site) {
    return myr_wait_for_at(timeout, accesses, count, site) != 0;
  };
  return with_accesses(call, arguments...);
}

}  // namespace detail

// Waits until the caller may again use the given memory in the given ways. It does not rethrow what
// tasks have thrown, not even those that wrote this memory: that is up to wait_all().
template <class... A>
  requires detail::ForWait<A...>
void wait(const A&... arguments) {
  detail::with_accesses(myr_wait_at, arguments...);
}

// May the caller use the memory now, as behind wait()? It does not wait for that. What the call may
// run all the same, and where it waits: docs/semantics.md, Questions. Cost: that of a spawn, and of
// a look into a table if the same was asked since the last spawn.
template <class... A>
  requires detail::ForWait<A...>
[[nodiscard]] bool is_ready(const A&... arguments) {
  return detail::wait_for_ns(0, arguments...);
}
// The same, at the latest after this time: a std::chrono::duration. False: not yet.
//   while (!myr::wait_for(16ms, myr::in(picture))) draw_spinner();
template <detail::IsDuration D, class... A>
  requires detail::ForWait<A...>
[[nodiscard]] bool wait_for(const D& timeout, const A&... arguments) {
  return detail::wait_for_ns(detail::nanoseconds_of(timeout), arguments...);
}

template <class... A>
  requires(sizeof...(A) > 0 && !detail::ForWait<A...>)
MYR_REFUSED("wait() takes in(x), out(x) or inout(x): what the caller wants to do with x then")
void wait(const A&...) {}
template <class... A>
  requires(sizeof...(A) == 0)
MYR_REFUSED("wait for what? wait_all() waits for every task")
void wait(const A&...) {}
template <class... A>
  requires(!detail::ForWait<A...>)
MYR_REFUSED("is_ready() takes in(x), out(x) or inout(x): what the caller wants to do with x")
bool is_ready(const A&...) {
  return false;
}
template <class... A>
  requires(!detail::is_for_wait_for<A...>)
MYR_REFUSED("wait_for() takes a std::chrono::duration, and in(x), out(x) or inout(x)")
bool wait_for(const A&...) {
  return false;
}

// Waits for all tasks that the caller has spawned, and theirs. Then it rethrows what the first of
// them that threw, in the serial program's order, has thrown; the others' exceptions are dropped.
inline void wait_all(const void* site = __builtin_source_location()) {
  myr_wait_all_at(static_cast<const myr_site*>(site));
  detail::rethrow_failure();
}

}  // namespace myr::inline v0

#include <myr/future.hpp>     // async(), Future
#include <myr/loop.hpp>       // for_each(), reduce_each(); Scope
#include <myr/recording.hpp>  // Recording
#include <myr/reduction.hpp>  // reduce()
