// SPDX-License-Identifier: Apache-2.0
//
// Copies: which bytes a process has fetched or is fetching, and in which version: so that readers
// of the same data fetch it once, and never while another one reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/byte_map.hpp"
#include "transport/mpi/rank.hpp"

namespace myr::cluster::mpi {

class Copies {
 public:
  using Range = transport::mpi::Range;

  // A transfer that brings bytes. Later ones have greater numbers.
  using Arrival = std::uint64_t;

  // That transfer brings the bytes, or has brought them, in that version. `first`: all before are
  // over. Cost of this and what follows: O(log + what it covers).
  void add(const Range& range, std::uint64_t version, Arrival arrival, Arrival first);
  // The bytes are here in no version that anybody will ask for.
  void forget(const Range& range) { copies_.erase(range.address, range.address + range.bytes); }
  // Which of the bytes no transfer has brought or brings in that version. Calls comes(arrival) for
  // the others.
  template <class Comes>
  [[nodiscard]] std::vector<Range> lacking(const Range& range, std::uint64_t version,
                                           Comes&& comes) const;
  [[nodiscard]] std::size_t count() const noexcept { return copies_.size(); }

 private:
  // With more ranges, all that are here are forgotten, which costs transfers only.
  static constexpr std::size_t kCountMax = 1U << 20;

  struct Copy {
    std::uint64_t version;
    Arrival arrival;
  };

  base::ByteMap<Copy> copies_;
};

template <class Comes>
std::vector<Copies::Range> Copies::lacking(const Range& range, std::uint64_t version,
                                           Comes&& comes) const {
  std::vector<Range> lacking;
  std::uint64_t begin = range.address;
  const auto lack_until = [&](std::uint64_t end) {
    if (begin < end) lacking.push_back({begin, end - begin});
  };
  const std::uint64_t end = range.address + range.bytes;
  copies_.visit(begin, end, [&](std::uint64_t first, std::uint64_t behind, const Copy& copy) {
    if (copy.version != version) return true;
    lack_until(first);
    comes(copy.arrival);
    begin = behind;
    return true;
  });
  lack_until(end);
  return lacking;
}

}  // namespace myr::cluster::mpi
