// SPDX-License-Identifier: Apache-2.0
//
// RangeMap: for byte ranges, who wrote each byte last and who has read it since. A sorted sequence
// of disjoint fragments, in chunks so that an insertion moves few of them; programs that use the
// same blocks again and again hit the exact fragment through a hint or one binary search.
//
// Threads: one writer; visit() by any thread while nobody writes.
// Invariants
//   1. Fragments are not empty, disjoint and ascending, within and across chunks; no chunk is
//      empty.
//   2. Bytes in no fragment were never entered since clear(), or all that did is complete.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/conflict_sink.hpp"
#include "graph/target.hpp"
#include "graph/users.hpp"

namespace myr::graph {

struct Fragment {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Users users;
};

class RangeMap {
 public:
  // Notes that the sink's task uses these bytes, and reports the earlier tasks that it must wait
  // for.
  void enter(const Target& target, ConflictSink& sink);

  // Calls visit(const Fragment&) for every fragment that overlaps [begin, end).
  template <class Visit>
  void visit(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    for (Position at = find(begin); !is_end(at) && fragment(at).begin < end; at = next(at)) {
      visit(fragment(at));
    }
  }

  void clear() noexcept;
  [[nodiscard]] bool empty() const noexcept { return chunks_.empty(); }
  // For tests: the number of fragments.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  static constexpr std::size_t kChunkMax = 128;

  using Chunk = std::vector<Fragment>;
  struct Position {
    std::size_t chunk = 0;
    std::size_t index = 0;
  };

  [[nodiscard]] bool is_end(Position at) const noexcept { return at.chunk == chunks_.size(); }
  [[nodiscard]] Fragment& fragment(Position at) noexcept { return chunks_[at.chunk][at.index]; }
  [[nodiscard]] const Fragment& fragment(Position at) const noexcept {
    return chunks_[at.chunk][at.index];
  }
  [[nodiscard]] Position next(Position at) const noexcept {
    at.index += 1;
    if (at.index == chunks_[at.chunk].size()) at = {at.chunk + 1, 0};
    return at;
  }
  [[nodiscard]] bool is_exact(Position at, std::uint64_t begin, std::uint64_t end) const noexcept {
    return !is_end(at) && fragment(at).begin == begin && fragment(at).end == end;
  }
  // The first fragment that ends behind `begin`.
  [[nodiscard]] Position find(std::uint64_t begin) const noexcept;
  // The same, by a look at the last hit and the fragment behind it first.
  [[nodiscard]] Position find_hinted(std::uint64_t begin, std::uint64_t end) const noexcept;
  // Makes fragments so that [begin, end) is covered exactly. Returns the first. Fragments are never
  // joined: a program that used tiles once will use them again.
  Position isolate(std::uint64_t begin, std::uint64_t end);
  void split(std::uint64_t address);
  void cover_gaps(std::uint64_t begin, std::uint64_t end);
  Position insert(Position before, Fragment fragment);
  void drop_complete();

  std::vector<Chunk> chunks_;
  Chunk spare_;  // an empty chunk's memory, so that a map used again and again does not allocate
  Position hint_;
  std::size_t count_ = 0;
  std::size_t drop_at_ = 64;  // fragments; the next sweep for complete ones
};

}  // namespace myr::graph
