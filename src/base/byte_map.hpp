// SPDX-License-Identifier: Apache-2.0
//
// ByteMap: a value for each byte of memory that has one. A sorted sequence of fragments, in chunks
// so that an insertion moves few of them. Programs that use the same blocks again and again find
// the first fragment by a look around the last one, or by one binary search.
//
// Threads: one writer; visit() by any thread while nobody writes.
// Invariant: fragments are not empty, disjoint and ascending, within and across chunks; no chunk is
// empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace myr::base {

template <class Value>
class ByteMap {
 public:
  struct Fragment {
    std::uint64_t begin;
    std::uint64_t end;
    Value value;
  };

  [[nodiscard]] bool empty() const noexcept { return chunks_.empty(); }
  // The number of fragments.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  void clear() noexcept {
    if (!chunks_.empty()) {
      spare_ = std::move(chunks_.front());
      spare_.clear();
    }
    chunks_.clear();
    hint_ = {};
    count_ = 0;
    sweep_at_ = kSweepMin;
  }

  // All bytes of [begin, end) have this value from now on, in one fragment. Cost of this and what
  // follows: O(log fragments + fragments in [begin, end)).
  void set(std::uint64_t begin, std::uint64_t end, Value value) {
    if (begin < end) insert(take_out(begin, end), {begin, end, std::move(value)});
  }
  // They have none.
  void erase(std::uint64_t begin, std::uint64_t end) {
    if (begin < end) take_out(begin, end);
  }
  // Calls change(Fragment&) for each fragment of [begin, end), of which all bytes get a value.
  // Fragments are never joined: a program that used a tile once will use it again. Before one is
  // cut in two, which have a copy of its value each, before_cut(Fragment&) is called.
  template <class Change, class BeforeCut>
  void change(std::uint64_t begin, std::uint64_t end, Change&& change, BeforeCut&& before_cut) {
    if (begin >= end) return;
    Position at = find_near(begin);
    if (cut(at, begin, before_cut)) at = next(at);
    for (std::uint64_t covered = begin; covered < end; at = next(at)) {
      if (is_end(at) || fragment(at).begin > covered) {
        const std::uint64_t until = is_end(at) ? end : std::min(end, fragment(at).begin);
        at = insert(at, {covered, until, {}});
      } else {
        cut(at, end, before_cut);
      }
      hint_ = at;
      covered = fragment(at).end;
      change(fragment(at));
    }
  }
  template <class Change>
  void change(std::uint64_t begin, std::uint64_t end, Change&& change) {
    this->change(begin, end, change, [](Fragment&) {});
  }
  // If a fragment ends where [begin, end) begins, which lies in one other or has none, and
  // is_alike(its value, that of the other one or nullptr), moves the bytes over to it. For maps
  // whose fragments nobody uses again as they are.
  template <class IsAlike>
  bool take_over(std::uint64_t begin, std::uint64_t end, IsAlike&& is_alike) {
    const Position at = find_near(begin);
    const bool is_first = at.index == 0 && at.chunk == 0;
    if (begin >= end || is_first) return false;
    const Position before = at.index != 0
                                ? Position{at.chunk, at.index - 1}
                                : Position{at.chunk - 1, chunks_[at.chunk - 1].size() - 1};
    if (fragment(before).end != begin) return false;
    const bool is_free = is_end(at) || fragment(at).begin >= end;
    if (!is_free && (fragment(at).begin != begin || fragment(at).end < end)) return false;
    if (!is_alike(fragment(before).value, is_free ? nullptr : &fragment(at).value)) return false;
    fragment(before).end = end;
    hint_ = before;
    if (is_free) return true;
    if (fragment(at).end != end) {
      fragment(at).begin = end;
      return true;
    }
    Chunk& chunk = chunks_[at.chunk];
    chunk.erase(at_index(chunk, at.index));
    if (chunk.empty()) chunks_.erase(at_index(chunks_, at.chunk));
    count_ -= 1;
    return true;
  }
  // Calls visit(first, end, value) for what fragments have of [begin, end), in order, until it
  // returns false.
  template <class Visit>
  void visit(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    visit_in(*this, begin, end, visit);
  }
  template <class Visit>
  void visit(std::uint64_t begin, std::uint64_t end, Visit&& visit) {
    visit_in(*this, begin, end, visit);
  }
  // The value of the fragment that is these very bytes, or nullptr.
  [[nodiscard]] Value* find(std::uint64_t begin, std::uint64_t end) noexcept {
    const Position at = find_near(begin);
    return is_exact(at, begin, end) ? &fragment(at).value : nullptr;
  }
  // Forgets the fragments for which is_over(value).
  template <class IsOver>
  void erase_if(IsOver&& is_over) {
    count_ = 0;
    for (Chunk& chunk : chunks_) {
      std::erase_if(chunk, [&](Fragment& piece) { return is_over(piece.value); });
      count_ += chunk.size();
    }
    std::erase_if(chunks_, [](const Chunk& chunk) { return chunk.empty(); });
    hint_ = {};
  }
  // erase_if() whenever there are twice as many fragments as the last one left.
  template <class IsOver>
  void sweep(IsOver&& is_over) {
    if (count_ < sweep_at_) return;
    erase_if(is_over);
    sweep_at_ = std::max(kSweepMin, 2 * count_);
  }

 private:
  static constexpr std::size_t kChunkMax = 128;
  static constexpr std::size_t kSweepMin = 64;

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

  template <class Map, class Visit>
  static void visit_in(Map& map, std::uint64_t begin, std::uint64_t end, Visit& visit) {
    if (begin >= end) return;
    for (Position at = map.find_near(begin); !map.is_end(at) && map.fragment(at).begin < end;
         at = map.next(at)) {
      auto& piece = map.fragment(at);
      if constexpr (!std::is_const_v<Map>) map.hint_ = at;
      if (!visit(std::max(piece.begin, begin), std::min(piece.end, end), piece.value)) return;
    }
  }

  // The first fragment that ends behind `address`.
  [[nodiscard]] Position find(std::uint64_t address) const noexcept {
    const auto ends_before = [address](const Fragment& piece) { return piece.end <= address; };
    const auto chunk = std::partition_point(
        chunks_.begin(), chunks_.end(), [&](const Chunk& one) { return ends_before(one.back()); });
    if (chunk == chunks_.end()) return {chunks_.size(), 0};
    const auto piece = std::partition_point(chunk->begin(), chunk->end(), ends_before);
    return {static_cast<std::size_t>(chunk - chunks_.begin()),
            static_cast<std::size_t>(piece - chunk->begin())};
  }
  // The same, by a look at the last hit and the fragments beside it first: a program that goes
  // through an array part by part comes there, with parts that overlap, too.
  [[nodiscard]] Position find_near(std::uint64_t address) const noexcept {
    if (hint_.chunk < chunks_.size()) {
      const Chunk& chunk = chunks_[hint_.chunk];
      const std::size_t last = std::min(hint_.index + 2, chunk.size());
      for (std::size_t i = hint_.index == 0 ? 0 : hint_.index - 1; i < last; ++i) {
        const bool is_behind = i == 0 ? hint_.chunk == 0 : chunk[i - 1].end <= address;
        if (is_behind && address < chunk[i].end) return {hint_.chunk, i};
      }
    }
    return find(address);
  }

  // If `address` is inside the fragment, cuts it in two there. `at` is the lower one then.
  template <class BeforeCut>
  bool cut(Position& at, std::uint64_t address, BeforeCut&& before_cut) {
    if (is_end(at) || fragment(at).begin >= address || fragment(at).end <= address) return false;
    Fragment& upper = fragment(at);
    before_cut(upper);
    Fragment lower{upper.begin, address, upper.value};
    upper.begin = address;
    at = insert(at, std::move(lower));
    return true;
  }
  // Cuts the fragment that contains `address` inside it, if any, in two.
  void split(std::uint64_t address) {
    Position at = find(address);
    cut(at, address, [](Fragment&) {});
  }
  // Leaves nothing of [begin, end). Returns what is behind.
  Position take_out(std::uint64_t begin, std::uint64_t end) {
    split(begin);
    split(end);
    const Position first = find(begin);
    const Position last = find(end);
    for (std::size_t i = first.chunk; i < chunks_.size() && i <= last.chunk; ++i) {
      Chunk& chunk = chunks_[i];
      const std::size_t from = i == first.chunk ? first.index : 0;
      const std::size_t until = i == last.chunk ? last.index : chunk.size();
      chunk.erase(at_index(chunk, from), at_index(chunk, until));
      count_ -= until - from;
    }
    const auto behind = at_index(chunks_, std::min(last.chunk + 1, chunks_.size()));
    chunks_.erase(std::remove_if(at_index(chunks_, first.chunk), behind,
                                 [](const Chunk& chunk) { return chunk.empty(); }),
                  behind);
    hint_ = {};
    return find(end);
  }

  template <class Sequence>
  static auto at_index(Sequence& sequence, std::size_t index) {
    return sequence.begin() + static_cast<std::ptrdiff_t>(index);
  }
  // Inserts in front of `before`. Returns where the new fragment stands.
  Position insert(Position before, Fragment piece) {
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
      Chunk upper(std::make_move_iterator(at_index(lower, kHalf)),
                  std::make_move_iterator(lower.end()));
      lower.erase(at_index(lower, kHalf), lower.end());
      chunks_.insert(at_index(chunks_, before.chunk + 1), std::move(upper));
      if (before.index >= kHalf) before = {before.chunk + 1, before.index - kHalf};
    }
    Chunk& chunk = chunks_[before.chunk];
    chunk.insert(at_index(chunk, before.index), std::move(piece));
    return before;
  }

  std::vector<Chunk> chunks_;
  Chunk spare_;  // an empty chunk's memory, so that a map used again and again does not allocate
  Position hint_;
  std::size_t count_ = 0;
  std::size_t sweep_at_ = kSweepMin;  // fragments
};

}  // namespace myr::base
