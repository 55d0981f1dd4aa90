// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp: what may come first in spawn(), and says how a task is to be run.
#pragma once

#include <myr/cxx20.hpp>

#include <type_traits>

namespace myr::inline v0 {

// Workers run ready tasks of a higher priority first: see myr_draft_priority(). 0 is that of other
// tasks.
//   myr::spawn(myr::priority(1), factor, myr::inout(diagonal));
struct Priority {
  int value;
};
[[nodiscard]] constexpr Priority priority(int value) noexcept { return {value}; }

// The call runs no task, neither this one nor another: for threads that hold a lock, or draw
// windows. See myr_submit_later_at(), and docs/semantics.md, Tasks for later.
//   myr::spawn(myr::later, load, myr::out(picture), path);
struct Later {};
inline constexpr Later later;

namespace detail {

// What the attributes of a task say.
struct How {
  int priority = 0;
  bool is_later = false;
};
constexpr How with(How how, Priority priority) noexcept { return {priority.value, how.is_later}; }
constexpr How with(How how, Later) noexcept { return {how.priority, true}; }

template <class T>
concept IsAttribute = std::is_same_v<T, Priority> || std::is_same_v<T, Later>;

}  // namespace detail

}  // namespace myr::inline v0
