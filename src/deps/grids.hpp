// SPDX-License-Identifier: Apache-2.0
//
// Grids: who uses tiles of matrices. Tiles with equally many rows, equally far apart, differ only
// in their columns, so a grid notes them by these: a tile costs as much as one row of it. Other
// uses are noted elsewhere, in the fragments of RangeMap, and meet the grid on their way.
//
//             hull of the first row
//           +-----------------------+
//     row 0 |  tile  |    tile      |     columns: Users by the bytes of the first row
//     row 1 |        |              |     across:  the same, for users of all columns of some rows
//     row 2 |        |              |     rows:    users of all columns of some rows, for tiles
//           +-----------------------+
//
// That holds as long as all other uses are of whole rows. Else the grid is closed: no tile enters
// it any more, and those in it are met by their very columns until they are over. So no task waits
// for one with which it shares no byte.
//
// Threads: as of RangeMap. Invariants
//   1. Grids are disjoint. No two columns of a grid are at the same bytes in different rows.
//   2. `across` has all that columns have. A task that used bytes of an open grid and is noted
//      elsewhere is in `rows`, and has used all columns of each row that it has something of.
//   3. What comes after a tile has met it in the grid; a tile that enters has met those in `rows`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include "base/byte_map.hpp"
#include "deps/below.hpp"
#include "deps/blocks.hpp"

namespace myr::deps {

// A tile's first row; and all from its first to its last byte, with the gaps.
[[nodiscard]] inline Bytes first_row(const Tile& tile) noexcept {
  return {tile.address, tile.address + tile.bytes};
}
[[nodiscard]] inline Bytes extent_of(const Tile& tile) noexcept {
  return {tile.address, tile.end()};
}

template <class Users>
class Grids {
 public:
  using Way = typename Users::Way;

  [[nodiscard]] bool empty() const noexcept { return grids_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return grids_.size(); }
  void clear() noexcept {
    grids_.clear();
    closed_ = 0;
  }

  // Notes that the sink's task uses a tile, and reports the tasks that it must wait for. False:
  // there is no open grid of such tiles.
  template <class Sink>
  [[nodiscard]] bool enter(const Tile& tile, bool writes, Way way, Sink& sink) {
    const auto at = find(tile.address);
    if (at == grids_.end() || !at->second.is_open || !at->second.has(tile)) return false;
    Grid& grid = at->second;
    grid.rows.meet(grid.extent(), writes, way, true, sink);
    grid.columns.sweep([&](Users& users) { return Users::is_over(users, sink); });
    grid.columns.change(
        tile.address, first_row(tile).end,
        [&](auto& piece) {
          piece.value.enter(writes, way, [&] { return Users::memory_of(grid.extent()); }, sink);
        },
        [&](auto& piece) { piece.value.thin(Users::memory_of(grid.extent()), sink); });
    Users::add_self(grid.across.of(writes, way), sink);
    return true;
  }

  // May there be a grid for such tiles? Not while others are used there in another manner, nor in
  // programs that close one grid after the other.
  template <class Sink>
  [[nodiscard]] bool may_begin(const Tile& hull, Sink& sink) {
    if (closed_ >= kClosedMax) return false;
    sweep(sink);
    const Bytes bytes = extent_of(hull);
    for (auto at = first_in(bytes); at != grids_.end() && at->first < bytes.end;) {
      if (!at->second.is_over(sink)) return false;
      at = grids_.erase(at);
    }
    return grids_.size() < kGridsMax;
  }
  // Begins a grid in whose rows others are noted already, to be added to what it returns.
  // REQUIRES: may_begin().
  [[nodiscard]] Below<Users>& begin(const Tile& hull) {
    return grids_.try_emplace(hull.address, Grid{.hull = hull}).first->second.rows;
  }

  // The sink's task uses the bytes, and is noted elsewhere: reports the tasks that it must wait
  // for.
  template <class Sink>
  void meet(Bytes bytes, bool writes, Way way, Sink& sink) {
    for (auto at = first_in(bytes); at != grids_.end() && at->first < bytes.end;) {
      Grid& grid = at->second;
      const Bytes common = grid.extent().common(bytes);
      if (common.begin >= common.end || lie_between(grid.hull, common)) {
        ++at;
      } else if (!are_whole_rows(grid.hull, common)) {
        meet_columns(grid, common, writes, way, sink);
        ++at;
      } else {
        grid.across.meet(grid.extent(), writes, way, true, sink);
        const bool is_last = writes && way == Way{} && bytes.contains(grid.extent());
        if (!is_last) Users::add_self(grid.rows.of(writes, way), sink);
        at = is_last ? grids_.erase(at) : std::next(at);
      }
    }
  }

  // Calls visit(const Users&) for those in the columns of the bytes.
  template <class Visit>
  void visit(Bytes bytes, Visit&& visit) const {
    for (auto at = first_in(bytes); at != grids_.end() && at->first < bytes.end; ++at) {
      const Bytes common = at->second.extent().common(bytes);
      if (common.begin < common.end) at->second.visit(at->second, common, visit);
    }
  }

  // Are bytes in the extent of a grid with this hull whole rows? Do they lie in a gap?
  [[nodiscard]] static bool are_whole_rows(const Tile& hull, Bytes bytes) noexcept {
    return is_at_border(hull, bytes.begin) && is_at_border(hull, bytes.end);
  }
  [[nodiscard]] static bool lie_between(const Tile& hull, Bytes bytes) noexcept {
    const std::uint64_t offset = (bytes.begin - hull.address) % hull.stride;
    return offset >= hull.bytes && offset + (bytes.end - bytes.begin) <= hull.stride;
  }

 private:
  static constexpr std::size_t kGridsMax = 1024;
  static constexpr std::size_t kClosedMax = 16;
  static constexpr std::size_t kSweepMin = 64;

  struct Grid {
    Tile hull;
    bool is_open = true;
    Below<Users> rows = {};
    Below<Users> across = {};
    base::ByteMap<Users> columns = {};

    [[nodiscard]] Bytes extent() const noexcept { return extent_of(hull); }
    [[nodiscard]] bool has(const Tile& tile) const noexcept {
      return tile.rows == hull.rows && tile.stride == hull.stride &&
             first_row(hull).contains(first_row(tile));
    }
    template <class Sink>
    [[nodiscard]] bool is_over(Sink& sink) {
      return across.is_over(sink) && rows.is_over(sink);
    }
    // Visits the users of the columns that some bytes of the extent have.
    template <class Self, class Visit>
    static void visit(Self& self, Bytes part, Visit&& visit) {
      const Tile& hull = self.hull;
      const auto visit_bytes = [&](std::uint64_t begin, std::uint64_t end) {
        self.columns.visit(hull.address + begin, hull.address + end, [&](auto, auto, auto& users) {
          visit(users);
          return true;
        });
      };
      const std::uint64_t begin = (part.begin - hull.address) % hull.stride;
      const std::uint64_t end = begin + (part.end - part.begin);
      if (end - begin >= hull.stride) return visit_bytes(0, hull.stride);
      visit_bytes(begin, std::min(end, hull.stride));
      if (end > hull.stride) visit_bytes(0, end - hull.stride);
    }
  };
  using Map = std::map<std::uint64_t, Grid>;  // by the first byte

  // Where a row begins, or in a gap.
  [[nodiscard]] static bool is_at_border(const Tile& hull, std::uint64_t address) noexcept {
    const std::uint64_t offset = (address - hull.address) % hull.stride;
    return offset == 0 || offset >= hull.bytes;
  }
  template <class Sink>
  void meet_columns(Grid& grid, Bytes part, bool writes, Way way, Sink& sink) {
    const auto memory = Users::memory_of(grid.extent());
    Grid::visit(grid, part, [&](Users& users) { users.meet(writes, way, memory, sink); });
    if (grid.is_open) closed_ += 1;
    grid.is_open = false;
  }
  template <class Sink>
  void sweep(Sink& sink) {
    if (grids_.size() < sweep_at_) return;
    for (auto at = grids_.begin(); at != grids_.end();) {
      at = at->second.is_over(sink) ? grids_.erase(at) : std::next(at);
    }
    sweep_at_ = std::max(kSweepMin, 2 * grids_.size());
  }

  // The grid in whose extent the address lies, or end().
  [[nodiscard]] typename Map::iterator find(std::uint64_t address) {
    const auto at = first_in({address, address + 1});
    return at != grids_.end() && at->first <= address ? at : grids_.end();
  }
  // The first one that ends behind the beginning of the bytes.
  [[nodiscard]] typename Map::iterator first_in(Bytes bytes) { return first_in(grids_, bytes); }
  [[nodiscard]] typename Map::const_iterator first_in(Bytes bytes) const {
    return first_in(grids_, bytes);
  }
  template <class SomeMap>
  [[nodiscard]] static auto first_in(SomeMap& grids, Bytes bytes) {
    auto at = grids.upper_bound(bytes.begin);
    if (at == grids.begin()) return at;
    const auto before = std::prev(at);
    return before->second.extent().end > bytes.begin ? before : at;
  }

  Map grids_;
  std::size_t closed_ = 0;  // ever
  std::size_t sweep_at_ = kSweepMin;
};

}  // namespace myr::deps
