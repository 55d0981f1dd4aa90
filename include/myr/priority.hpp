// SPDX-License-Identifier: Apache-2.0
//
// Of myr.hpp: which of the tasks that are ready come first.
#pragma once

#include <myr/cxx20.hpp>

#include <type_traits>

namespace myr {

// Of the tasks that are ready, workers run those of a higher priority first: see
// myr_draft_priority(). 0 is that of other tasks.
//   myr::spawn(myr::priority(1), factor, myr::inout(diagonal));
struct Priority {
  int value;
};
[[nodiscard]] constexpr Priority priority(int value) noexcept { return {value}; }

}  // namespace myr
