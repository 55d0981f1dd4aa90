// SPDX-License-Identifier: Apache-2.0
#include "graph/range_map.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "graph/task_arena.hpp"

namespace myr::graph {

RangeMap::Position RangeMap::find(std::uint64_t begin) const noexcept {
  const auto chunk = std::partition_point(chunks_.begin(), chunks_.end(),
                                          [&](const Chunk& c) { return c.back().end <= begin; });
  if (chunk == chunks_.end()) return {chunks_.size(), 0};
  const auto piece = std::partition_point(chunk->begin(), chunk->end(),
                                          [&](const Fragment& f) { return f.end <= begin; });
  return {static_cast<std::size_t>(chunk - chunks_.begin()),
          static_cast<std::size_t>(piece - chunk->begin())};
}

RangeMap::Position RangeMap::find_hinted(std::uint64_t begin, std::uint64_t end) const noexcept {
  if (hint_.chunk < chunks_.size() && hint_.index < chunks_[hint_.chunk].size()) {
    if (is_exact(hint_, begin, end)) return hint_;
    const Position behind = next(hint_);
    if (is_exact(behind, begin, end)) return behind;
  }
  return find(begin);
}

void RangeMap::enter(const Target& target, ConflictSink& sink) {
  const std::uint64_t begin = target.begin;
  const std::uint64_t end = target.end;
  Position at = find_hinted(begin, end);
  if (!is_exact(at, begin, end)) at = isolate(begin, end);
  for (; !is_end(at) && fragment(at).begin < end; at = next(at)) {
    Fragment& piece = fragment(at);
    hint_ = at;
    const auto memory = [&] {
      return myr_inout_range(reinterpret_cast<void*>(piece.begin), piece.end - piece.begin);
    };
    piece.users.enter(target.writes, target.group, memory, sink);
  }
}

RangeMap::Position RangeMap::isolate(std::uint64_t begin, std::uint64_t end) {
  if (count_ >= drop_at_) drop_complete();
  split(begin);
  split(end);
  cover_gaps(begin, end);
  return find(begin);
}

// Cuts the fragment that contains `address` inside it, if any, in two.
void RangeMap::split(std::uint64_t address) {
  const Position at = find(address);
  if (is_end(at) || fragment(at).begin >= address) return;
  Fragment& upper = fragment(at);
  Fragment lower{upper.begin, address, upper.users};
  upper.begin = address;
  insert(at, std::move(lower));
}

void RangeMap::cover_gaps(std::uint64_t begin, std::uint64_t end) {
  std::uint64_t covered = begin;
  Position at = find(begin);
  while (covered < end) {
    const std::uint64_t until = is_end(at) ? end : std::min(end, fragment(at).begin);
    if (covered < until) at = next(insert(at, Fragment{covered, until, {}}));
    if (is_end(at)) return;
    covered = fragment(at).end;
    at = next(at);
  }
}

// Inserts in front of `before`. Returns where the new fragment stands.
RangeMap::Position RangeMap::insert(Position before, Fragment piece) {
  count_ += 1;
  if (is_end(before)) {
    if (chunks_.empty() || chunks_.back().size() == kChunkMax) {
      chunks_.push_back(std::exchange(spare_, {}));
    }
    chunks_.back().push_back(std::move(piece));
    return {chunks_.size() - 1, chunks_.back().size() - 1};
  }
  if (chunks_[before.chunk].size() == kChunkMax) {
    constexpr std::size_t kHalf = kChunkMax / 2;
    Chunk& lower = chunks_[before.chunk];
    Chunk upper(std::make_move_iterator(lower.begin() + kHalf),
                std::make_move_iterator(lower.end()));
    lower.resize(kHalf);
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(before.chunk) + 1,
                   std::move(upper));
    if (before.index >= kHalf) before = {before.chunk + 1, before.index - kHalf};
  }
  Chunk& chunk = chunks_[before.chunk];
  chunk.insert(chunk.begin() + static_cast<std::ptrdiff_t>(before.index), std::move(piece));
  return before;
}

// Forgets fragments that nobody can wait for any more.
void RangeMap::drop_complete() {
  count_ = 0;
  for (Chunk& chunk : chunks_) {
    std::erase_if(chunk, [](const Fragment& piece) { return !piece.users.any_live(); });
    count_ += chunk.size();
  }
  std::erase_if(chunks_, [](const Chunk& chunk) { return chunk.empty(); });
  hint_ = {};
  drop_at_ = std::max<std::size_t>(64, 2 * count_);
}

void RangeMap::clear() noexcept {
  if (!chunks_.empty()) {
    spare_ = std::move(chunks_.front());
    spare_.clear();
  }
  chunks_.clear();
  hint_ = {};
  count_ = 0;
  drop_at_ = 64;
}

std::size_t RangeMap::size() const noexcept { return count_; }

}  // namespace myr::graph
