// SPDX-License-Identifier: Apache-2.0
//
// Copies: which bytes a process has fetched, and in which version: so that readers of the same
// data, one after the other, fetch it once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/byte_map.hpp"
#include "transport/mpi/rank.hpp"

namespace myr::cluster::mpi {

class Copies {
 public:
  using Range = transport::mpi::Range;

  // The bytes are here in that version. Cost: O(log + what it covers).
  void add(const Range& range, std::uint64_t version);
  // The bytes are here in no version that anybody will ask for.
  void forget(const Range& range) { copies_.erase(range.address, range.address + range.bytes); }
  // Are all of the bytes here in that version?
  [[nodiscard]] bool have(const Range& range, std::uint64_t version) const;
  [[nodiscard]] std::size_t count() const noexcept { return copies_.size(); }

 private:
  // So many ranges; then all are forgotten, which costs transfers only.
  static constexpr std::size_t kCountMax = 1U << 20;

  base::ByteMap<std::uint64_t> copies_;  // versions
};

}  // namespace myr::cluster::mpi
