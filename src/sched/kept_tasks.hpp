// SPDX-License-Identifier: Apache-2.0
//
// KeptTasks: tasks that are ready and wait at a scheduler until one of its workers has room.
// The oldest of the highest rank is next; what is given to a scheduler above is of the
// lowest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/ring.hpp"
#include "proto/messages.hpp"

namespace myr::sched {

class KeptTasks {
 public:
  // `home_depth`: of the task's home, which is the keeper or a scheduler above it. Cost of all: the
  // keeper's depth, and O(log ranks).
  void push(proto::Work work, std::uint32_t rank, unsigned home_depth);
  // REQUIRES: size() != 0.
  [[nodiscard]] proto::Work pop();
  // One whose home is no deeper than that; none: there is none.
  [[nodiscard]] std::optional<proto::Work> pop_for(unsigned depth);
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct Kept {
    std::uint64_t turn = 0;  // the smaller, the older
    proto::Work work;
  };
  using ByRank = std::map<std::uint32_t, base::Ring<Kept>, std::greater<>>;

  [[nodiscard]] proto::Work take(ByRank& from, ByRank::iterator at);

  std::vector<ByRank> by_home_;  // by the depth of the home
  std::size_t size_ = 0;
  std::uint64_t next_turn_ = 0;
};

}  // namespace myr::sched
