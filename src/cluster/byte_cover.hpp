// SPDX-License-Identifier: Apache-2.0
//
// ByteCover: what a task declared as bytes, to see whether an access lies inside. Rows of tiles may
// be thousands, in both, so they are sorted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "myr/myr.h"
#include "proto/messages.hpp"

namespace myr::cluster {

[[nodiscard]] inline proto::Mode mode_of(const myr_access& access) noexcept {
  return (access.flags & MYR_OUT) != 0 ? proto::Mode::Write : proto::Mode::Read;
}

class ByteCover {
 public:
  // In one range that permits the mode; in some, but not like that; in none.
  enum class Answer { Inside, Overlaps, Apart };

  explicit ByteCover(std::span<const myr_access> declared);
  // Cost: O(log ranges + ranges that overlap it; and more where one range lies around many).
  [[nodiscard]] Answer look(const myr_access& access) const noexcept;

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t reach;  // the largest end so far
    proto::Mode mode;
    bool may_be_freed;  // so an overlap is no mistake
  };
  std::vector<Range> ranges_;  // by begin
};

}  // namespace myr::cluster
