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

namespace myr {

// Does the calling task use something in a cancelled region? Then it may as well return.
[[nodiscard]] inline bool is_cancelled() { return myr_cancelled() != 0; }

// What a global or static variable holds now, all processes of the machine know from here on: see
// myr_publish().
template <class T>
void publish(const T& variable, const void* site = __builtin_source_location()) {
  static_assert(std::is_trivially_copyable_v<T>,
                "only variables that are no more than their bytes can be published");
  myr_publish_at(std::addressof(variable), sizeof variable, static_cast<const myr_site*>(site));
}

// Waits until the caller may again use the given memory in the given ways. It does not rethrow what
// tasks have thrown, not even those that wrote this memory: that is up to wait_all().
template <class... A>
  requires(sizeof...(A) > 0 && (... && detail::is_access<A>))
void wait(const A&... arguments) {
  const std::size_t count = detail::saturated_total(detail::ArgumentOf<A>::count(arguments)...);
  const myr_site* site = detail::first_site(detail::ArgumentOf<A>::site(arguments)...);
  if (!detail::is_sized(count)) myr_wait_at(nullptr, count, site);  // says so
  const std::unique_ptr<myr_access[]> accesses(new myr_access[count]);
  myr_access* next = accesses.get();
  (detail::ArgumentOf<A>::fill(arguments, next), ...);
  myr_wait_at(accesses.get(), count, site);
}

template <class... A>
  requires(sizeof...(A) > 0 && !(... && detail::is_access<A>))
MYR_REFUSED("wait() takes in(x), out(x) or inout(x): what the caller wants to do with x then")
void wait(const A&...) {}
template <class... A>
  requires(sizeof...(A) == 0)
MYR_REFUSED("wait for what? wait_all() waits for every task")
void wait(const A&...) {}

// Waits for all tasks that the caller has spawned, and theirs. Then it rethrows what the first of
// them that threw, in the serial program's order, has thrown; the others' exceptions are dropped.
inline void wait_all(const void* site = __builtin_source_location()) {
  myr_wait_all_at(static_cast<const myr_site*>(site));
  detail::rethrow_failure();
}

}  // namespace myr

#include <myr/future.hpp>     // async(), Future
#include <myr/loop.hpp>       // for_each(), reduce_each(); Scope
#include <myr/recording.hpp>  // Recording
#include <myr/reduction.hpp>  // reduce()
