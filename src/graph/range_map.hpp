// SPDX-License-Identifier: Apache-2.0
//
// RangeMap: for byte ranges, who wrote each byte last and who has read it since.
//
// Threads: one writer; visit() by any thread while nobody writes.
// Invariant: bytes in no fragment were never entered since clear(), or all that did is complete.
#pragma once

#include <cstdint>

#include "base/byte_map.hpp"
#include "graph/conflict_sink.hpp"
#include "graph/target.hpp"
#include "graph/users.hpp"

namespace myr::graph {

class RangeMap {
 public:
  // Notes that the sink's task uses these bytes, and reports the earlier tasks that it must wait
  // for.
  void enter(const Target& target, ConflictSink& sink);

  // Calls visit(first, end, const Users&) for what fragments have of [begin, end).
  template <class Visit>
  void visit(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    fragments_.visit(begin, end, [&](std::uint64_t first, std::uint64_t last, const Users& users) {
      visit(first, last, users);
      return true;
    });
  }

  void clear() noexcept { fragments_.clear(); }
  [[nodiscard]] bool empty() const noexcept { return fragments_.empty(); }
  // For tests: the number of fragments.
  [[nodiscard]] std::size_t size() const noexcept { return fragments_.size(); }

 private:
  base::ByteMap<Users> fragments_;
};

}  // namespace myr::graph
