// SPDX-License-Identifier: Apache-2.0
//
// Transfer: ranges of memory on their way between this process and another one, in parts that both
// sides cut in the same way: several are under way, which keeps a wire busy, and not so many that
// the other side had to keep what nobody has asked for yet.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "transport/mpi/rank.hpp"

namespace myr::cluster::mpi {

class Transfer {
 public:
  using Rank = transport::mpi::Rank;
  using Range = transport::mpi::Range;
  enum class Way : std::uint8_t { Out, In };

  Transfer(Rank& rank, Way way, unsigned peer, std::vector<Range> ranges)
      : rank_(rank), way_(way), peer_(peer), ranges_(std::move(ranges)) {}

  // Starts parts that may start, and takes note of those that are over. False: there were none.
  bool advance() {
    bool has_moved = false;
    while (!under_way_.empty() && rank_.is_over(under_way_.front())) {
      under_way_.pop_front();
      has_moved = true;
    }
    while (index_ < ranges_.size() && under_way_.size() < kPartsMax) {
      const std::vector<Range> part = next_part();
      under_way_.push_back(way_ == Way::Out ? rank_.give(part, peer_) : rank_.fetch(part, peer_));
      has_moved = true;
    }
    return has_moved;
  }
  [[nodiscard]] bool is_over() const noexcept {
    return index_ == ranges_.size() && under_way_.empty();
  }

 private:
  static constexpr std::uint64_t kPartBytes = std::uint64_t{4} << 20;
  static constexpr std::size_t kPartsMax = 8;

  std::vector<Range> next_part() {
    std::vector<Range> part;
    for (std::uint64_t left = kPartBytes; left != 0 && index_ < ranges_.size();) {
      const Range& range = ranges_[index_];
      const std::uint64_t bytes = std::min(left, range.bytes - offset_);
      part.push_back({range.address + offset_, bytes});
      left -= bytes;
      offset_ += bytes;
      if (offset_ == range.bytes) {
        index_ += 1;
        offset_ = 0;
      }
    }
    return part;
  }

  Rank& rank_;
  const Way way_;
  const unsigned peer_;
  const std::vector<Range> ranges_;
  std::size_t index_ = 0;  // where the next part begins
  std::uint64_t offset_ = 0;
  std::deque<myr_mpi_request> under_way_;
};

}  // namespace myr::cluster::mpi
