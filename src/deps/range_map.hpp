// SPDX-License-Identifier: Apache-2.0
//
// RangeMap: which tasks use which bytes, in the order in which they come: for each byte the last
// writer and those that have read it since, in fragments (base::ByteMap). It serves the graph in
// shared memory and the schedulers, which have their own tasks and Users.
//
// While most accesses look at few fragments, that is all. Where wide ones look at too many, the map
// becomes a tree: spans around some fragments each, in the layer above spans around some of these,
// and so on, divided where they become too many, as in a B-tree. A task that uses all bytes of a
// span looks at it alone, and is noted there; one that uses some of them looks at it and at what is
// below. So each access meets a few items in each layer. Where many tasks are met again and again,
// one task that waits for all of them takes their place (fan_in()). So N tasks and M others that
// overlap them, each with many, make about N + M edges times the number of layers.
//
// A few spans of another kind are around the very bytes that a wide access has used, mostly a whole
// array, so others that use them need not look at what is below, a tree or not.
//
// Threads: one writer; visit() by any thread while nobody writes.
// Invariants
//   1. Bytes in no fragment and no span were never entered since clear(), or all that did is
//      complete.
//   2. The spans of a layer are disjoint. A span or fragment lies in one span of the layer above,
//      or in none of them. Exact spans are disjoint, too, but may lie across others.
//   3. A span's `below` has all tasks that use bytes of it and are noted in its lower layers or,
//      for an exact span, in any layer.
//   4. Tasks that use some of a span's bytes after its users have met these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/byte_map.hpp"
#include "base/contract.hpp"
#include "deps/below.hpp"
#include "deps/grids.hpp"

namespace myr::deps {

// Users, for a sink that takes the users that its task must wait for:
//   Tasks, Way, kWays                     a set of tasks; ways of writing, Way{} for the usual one,
//                                         and how many: tasks of another way do not wait for
//                                         each other
//   enter(writes, way, memory, sink)      the sink's task uses all of the bytes from now on
//   report(writes, way, sink)             those that such a task would wait for
//   meet(writes, way, memory, sink)       report() for one who is going to be noted elsewhere
//   for_each(visit)                       visit(writes, way, task) for each user
//   add(tasks, task, sink), add_self(tasks, sink), report_all(tasks, sink)
//   fan_in(tasks, memory, sink)           makes one task of many
//   thin(memory, sink)                    the same for the users who do not wait for each other
//   is_over(users or tasks, sink)         have all of them completed?
//   memory_of(bytes)                      what fan_in() has to know of bytes
template <class Users>
class RangeMap {
 public:
  using Way = typename Users::Way;

  // Notes that the sink's task uses these bytes, and reports the earlier tasks that it must wait
  // for. Cost, except for reports: O(log fragments) on average; as one fragment, in most programs.
  template <class Sink>
  void enter(Bytes bytes, bool writes, Way way, Sink& sink) {
    if (MYR_UNLIKELY(!grids_.empty())) grids_.meet(bytes, writes, way, sink);
    fragments_.sweep([&](Users& users) { return Users::is_over(users, sink); });
    allowance_ += kFragmentsAllowed;
    if (MYR_UNLIKELY(!levels_.empty())) return enter_spans(bytes, writes, way, sink);
    const std::size_t count = enter_fragments(bytes, writes, way, sink);
    if (MYR_UNLIKELY(count > kWide)) note_wide(bytes, count, sink);
  }
  // The same for all rows of a tile, all at once. False: they are to be entered one by one.
  // REQUIRES: the rows do not overlap.
  template <class Sink>
  [[nodiscard]] bool enter_tile(const Tile& tile, bool writes, Way way, Sink& sink) {
    MYR_DCHECK(tile.bytes <= tile.stride);
    if (tile.rows < kRowsLeast || tile.end() > kEverything.end - tile.stride) return false;
    if (grids_.enter(tile, writes, way, sink)) return true;
    return begin_grid(tile, sink) && grids_.enter(tile, writes, way, sink);
  }
  // enter() for a task that is noted elsewhere, where all that come later meet it. REQUIRES: there
  // are no tiles.
  template <class Sink>
  void enter_noted(Bytes bytes, bool writes, Way way, Sink& sink) {
    MYR_DCHECK(grids_.empty());
    if (writes && way == Way{}) {
      visit(bytes, [&](const Users& users) { users.report(true, way, sink); });
      for (Spans& spans : levels_) erase_inside(spans, bytes);
      return fragments_.erase(bytes.begin, bytes.end);
    }
    allowance_ += kFragmentsAllowed;
    Meeting<Sink> use{*this, writes, sink};
    if (!levels_.empty()) return use_all(bytes, use);
    const std::size_t count = use.use_fragments(bytes);
    if (count > kWide) note_wide(bytes, count, sink);
  }

  // Calls visit(const Users&) for all that were noted of some of the bytes.
  template <class Visit>
  void visit(Bytes bytes, Visit&& visit) const {
    grids_.visit(bytes, visit);
    const auto visit_span = [&](auto, auto, const Span& span) {
      visit(span.users);
      return true;
    };
    for (const Spans& spans : levels_) spans.visit(bytes.begin, bytes.end, visit_span);
    fragments_.visit(bytes.begin, bytes.end, [&](auto, auto, const Users& users) {
      visit(users);
      return true;
    });
  }

  void clear() noexcept {
    grids_.clear();
    fragments_.clear();
    levels_.clear();
    allowance_ = 0;
  }
  [[nodiscard]] bool empty() const noexcept {
    return grids_.empty() && fragments_.empty() && levels_.empty();
  }
  // For tests: the number of fragments, of grids, and of layers of spans.
  [[nodiscard]] std::size_t grids() const noexcept { return grids_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return fragments_.size(); }
  [[nodiscard]] std::size_t layers() const noexcept { return is_tree() ? levels_.size() - 1 : 0; }

 private:
  // Items in a span: it is divided when it has more, into spans with so many.
  static constexpr std::size_t kItemsMax = 16;
  static constexpr std::size_t kItemsUsual = 8;
  // An access that looks at more items is wide. That many cost no more than the layers of a tree.
  static constexpr std::size_t kWide = 32;
  // Fragments that wide accesses may look at before the map becomes a tree, for each access.
  static constexpr std::int64_t kFragmentsAllowed = 4;
  // A grid costs a tile as much as a few rows.
  static constexpr std::size_t kRowsLeast = 8;
  // Exact spans have the number that fragments have as a layer.
  static constexpr std::size_t kExact = 0;
  static constexpr std::size_t kExactMax = 8;
  static constexpr Bytes kEverything{0, ~std::uint64_t{0}};

  using Tasks = typename Users::Tasks;
  struct Span {
    Bytes bytes;
    Users users = {};       // of all of it
    std::size_t items = 0;  // in the layer below; some may have been forgotten since
    Below<Users> below = {};
  };
  using Spans = base::ByteMap<Span>;

  // What enter() does with what lies in the bytes, or has some of them.
  template <class Sink>
  struct Entering {
    RangeMap& map;
    bool writes;
    Way way;
    Sink& sink;

    void use_whole(Span& span, std::size_t level) const {
      const bool stay = !writes || way != Way{};
      span.below.meet(span.bytes, writes, way, stay, sink);
      const auto memory = [&] { return Users::memory_of(span.bytes); };
      span.users.enter(writes, way, memory, sink);
      if (stay || span.below.empty()) return;
      span.below.clear();
      span.items = 0;
      map.erase(span.bytes, level);
    }
    void use_part(Span& span) const {
      span.users.meet(writes, way, Users::memory_of(span.bytes), sink);
      Users::add_self(span.below.of(writes, way), sink);
    }
    std::size_t use_fragments(Bytes bytes) const {
      return map.enter_fragments(bytes, writes, way, sink);
    }
    Span* fill(std::size_t level, Span* parent, std::uint64_t at) const {
      return map.fill(level, parent, at, sink);
    }
  };
  // And enter_noted().
  template <class Sink>
  struct Meeting {
    RangeMap& map;
    bool writes;
    Sink& sink;

    void use_whole(Span& span, std::size_t) const {
      span.below.meet(span.bytes, writes, Way{}, true, sink);
      use_part(span);
    }
    void use_part(Span& span) const {
      span.users.meet(writes, Way{}, Users::memory_of(span.bytes), sink);
    }
    std::size_t use_fragments(Bytes bytes) const {
      std::size_t count = 0;
      map.fragments_.visit(bytes.begin, bytes.end, [&](auto, auto, const Users& users) {
        users.report(writes, Way{}, sink);
        count += 1;
        return true;
      });
      return count;
    }
    static Span* fill(std::size_t, Span*, std::uint64_t) { return nullptr; }
  };
  // Collects the users that are noted of the bytes of a new span.
  template <class Sink>
  struct Gathering {
    RangeMap& map;
    Span& span;
    Sink& sink;

    void use_whole(Span& item, std::size_t) const {
      use_part(item);
      for (std::size_t i = 0; i < Users::kWays; ++i) {
        add(span.below.writers[i], item.below.writers[i], item);
      }
      add(span.below.readers, item.below.readers, item);
    }
    void use_part(Span& item) const { use_part(item.users, item.bytes); }
    void use_part(Span& item, Bytes) const { use_part(item); }
    std::size_t use_fragments(Bytes bytes) const {
      map.fragments_.visit(bytes.begin, bytes.end, [&](auto begin, auto end, Users& users) {
        use_part(users, {begin, end});
        return true;
      });
      return 0;
    }
    static Span* fill(std::size_t, Span*, std::uint64_t) { return nullptr; }
    void use_part(Users& users, Bytes bytes) const {
      users.thin(Users::memory_of(bytes), sink);
      users.for_each([&](bool writes, Way way, auto task) {
        Users::add(span.below.of(writes, way), task, sink);
      });
    }

   private:
    void add(Tasks& tasks, Tasks& others, const Span& item) const {
      Users::fan_in(others, Users::memory_of(item.bytes), sink);
      Users::add_all(tasks, others, sink);
    }
  };

  [[nodiscard]] bool is_tree() const noexcept { return levels_.size() > 1; }

  // Apart from enter(), which stays short without spans.
  template <class Sink>
  [[gnu::noinline]] void enter_spans(Bytes bytes, bool writes, Way way, Sink& sink) {
    Entering<Sink> use{*this, writes, way, sink};
    use_all(bytes, use);
  }
  // Users of a fragment that is cut are noted twice from then on.
  template <class Sink>
  MYR_INLINE std::size_t enter_fragments(Bytes bytes, bool writes, Way way, Sink& sink) {
    std::size_t count = 0;
    fragments_.change(
        bytes.begin, bytes.end,
        [&](auto& piece) {
          const auto memory = [&] { return Users::memory_of({piece.begin, piece.end}); };
          piece.value.enter(writes, way, memory, sink);
          count += 1;
        },
        [&](auto& piece) { piece.value.thin(Users::memory_of({piece.begin, piece.end}), sink); });
    return count;
  }
  // Makes a grid for tiles like this one, if all that is noted there are rows as a whole, or those
  // above and below.
  template <class Sink>
  MYR_COLD bool begin_grid(const Tile& tile, Sink& sink) {
    if (is_tree()) return false;
    const Tile hull = hull_of(tile);
    if (!grids_.may_begin(hull, sink)) return false;
    const Bytes all = extent_of(hull);
    Span whole{.bytes = all};
    Gathering<Sink> use{*this, whole, sink};
    bool fits = true;
    const auto look = [&](auto begin, auto end, auto& piece) {
      const Bytes bytes{begin, end};
      if (Grids<Users>::lie_between(hull, bytes)) return true;
      fits = fits && Grids<Users>::are_whole_rows(hull, bytes);
      if (fits) use.use_part(piece, bytes);
      return fits;
    };
    fragments_.visit(all.begin, all.end, look);
    for (Spans& spans : levels_) spans.visit(all.begin, all.end, look);
    if (fits) grids_.begin(hull) = std::move(whole.below);
    return fits;
  }
  // Around the tile's columns: those of the row that somebody has used, or as many as there can be.
  [[nodiscard]] Tile hull_of(const Tile& tile) {
    Tile hull = tile;
    hull.bytes = tile.stride;
    const std::uint64_t from = tile.address - std::min(tile.address, tile.stride);
    fragments_.visit(from, tile.address + tile.stride, [&](auto begin, auto end, const Users&) {
      if (begin != from && Bytes{begin, end}.contains(first_row(tile))) {
        hull.address = begin;
        hull.bytes = std::min(end - begin, tile.stride);
      }
      return end <= tile.address;
    });
    return hull;
  }
  // An access has looked at `count` items.
  template <class Sink>
  MYR_COLD void note_wide(Bytes bytes, std::size_t count, Sink& sink) {
    if (!is_tree()) {
      allowance_ -= static_cast<std::int64_t>(count);
      if (levels_.empty()) levels_.resize(1);
      if (allowance_ < 0) add_levels(sink);
    }
    make_exact(bytes, sink);
  }
  // Until there are few spans in the highest layer.
  template <class Sink>
  void add_levels(Sink& sink) {
    while ((levels_.size() == 1 ? fragments_.size() : levels_.back().size()) > kItemsMax) {
      const std::size_t level = levels_.size();
      levels_.emplace_back();
      Bytes all{};
      for_items(level - 1, kEverything,
                [&](Bytes item) { all = {all.end == 0 ? item.begin : all.begin, item.end}; });
      bundle(level, all, Users{}, sink);
    }
  }

  // Forgets the users of the bytes in the layers below that one.
  void erase(Bytes bytes, std::size_t level) {
    for (std::size_t i = 1; i < std::min(level, levels_.size()); ++i) {
      erase_inside(levels_[i], bytes);
    }
    fragments_.erase(bytes.begin, bytes.end);
  }
  // But not the spans that lie across their borders.
  static void erase_inside(Spans& spans, Bytes bytes) {
    const Span* const first = first_span(spans, bytes.begin, bytes.end);
    if (first == nullptr) return;
    if (first->bytes.begin < bytes.begin) bytes.begin = std::min(first->bytes.end, bytes.end);
    const Span* const last = first_span(spans, bytes.end - 1, bytes.end);
    if (last != nullptr && last->bytes.end > bytes.end) {
      bytes.end = std::max(last->bytes.begin, bytes.begin);
    }
    spans.erase(bytes.begin, bytes.end);
  }

  [[nodiscard]] static Span* first_span(Spans& spans, std::uint64_t begin, std::uint64_t end) {
    Span* first = nullptr;
    spans.visit(begin, end, [&](auto, auto, Span& span) {
      first = &span;
      return false;
    });
    return first;
  }
  [[nodiscard]] static Span* span_at(Spans& spans, std::uint64_t address) {
    return first_span(spans, address, address + 1);
  }

  // Uses the exact span of these bytes; or meets those that have some of them, and uses the tree.
  template <class Use>
  void use_all(Bytes bytes, Use& use) {
    Span* exact = nullptr;
    levels_[kExact].visit(bytes.begin, bytes.end, [&](auto, auto, Span& span) {
      if (span.bytes == bytes) {
        exact = &span;
      } else {
        use.use_part(span);
      }
      return true;
    });
    if (exact != nullptr) return use.use_whole(*exact, levels_.size());
    const std::size_t count = use_tree(bytes, use);
    if (count > kWide) note_wide(bytes, count, use.sink);
  }
  template <class Use>
  std::size_t use_tree(Bytes bytes, Use& use) {
    const std::size_t count = walk(levels_.size() - 1, nullptr, bytes, use);
    balance(bytes.begin, use.sink);
    balance(bytes.end - 1, use.sink);
    if (is_tree()) add_levels(use.sink);
    return count;
  }
  // Uses the items of a layer that lie in the bytes, all of them below one parent, and goes down
  // where they only have some of them. Returns how many items were used as a whole.
  template <class Use>
  std::size_t walk(std::size_t level, Span* parent, Bytes bytes, Use& use) {
    if (level == 0) {
      const std::size_t before = fragments_.size();
      const std::size_t count = use.use_fragments(bytes);
      if (parent != nullptr) parent->items += fragments_.size() - before;
      return count;
    }
    std::size_t count = 0;
    for (std::uint64_t at = bytes.begin; at < bytes.end;) {
      Span* span = first_span(levels_[level], at, bytes.end);
      if (span == nullptr || at < span->bytes.begin) {
        if (Span* const filled = use.fill(level, parent, at)) span = filled;
        if (span == nullptr) break;
      }
      const Bytes all = span->bytes;
      if (bytes.contains(all)) {
        use.use_whole(*span, level);
        count += 1;
      } else {
        use.use_part(*span);
        count += walk(level - 1, span, bytes.common(all), use);
      }
      at = all.end;
    }
    return count;
  }
  // Makes a span where there is none.
  template <class Sink>
  Span* fill(std::size_t level, Span* parent, std::uint64_t at, Sink& sink) {
    Spans& spans = levels_[level];
    spans.sweep([&](Span& span) { return is_over(span, sink); });
    Bytes gap = parent == nullptr ? kEverything : parent->bytes;
    spans.visit(gap.begin, at, [&](auto, auto end, const Span&) {
      gap.begin = end;
      return true;
    });
    const Span* const behind = first_span(spans, at, gap.end);
    if (behind != nullptr) gap.end = behind->bytes.begin;
    spans.set(gap.begin, gap.end, Span{.bytes = gap});
    if (parent != nullptr) parent->items += 1;
    return span_at(spans, at);
  }

  // Divides the spans around an address that have too many items.
  template <class Sink>
  void balance(std::uint64_t at, Sink& sink) {
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      Spans& spans = levels_[level];
      Span* const span = span_at(spans, at);
      if (span == nullptr || span->items <= kItemsMax) continue;
      span->items = count_items(level - 1, span->bytes);
      if (span->items <= kItemsMax) continue;
      const Bytes bytes = span->bytes;
      span->users.thin(Users::memory_of(bytes), sink);
      const Users users = std::move(span->users);
      const std::size_t before = spans.size();
      spans.erase(bytes.begin, bytes.end);
      bundle(level, bytes, users, sink);
      if (level + 1 == levels_.size()) continue;
      if (Span* parent = span_at(levels_[level + 1], at)) parent->items += spans.size() - before;
    }
  }
  // Makes spans around a few items each, for all of these bytes, which have these users.
  template <class Sink>
  void bundle(std::size_t level, Bytes bytes, const Users& users, Sink& sink) {
    std::vector<std::uint64_t> begins;
    for_items(level - 1, bytes, [&](Bytes item) { begins.push_back(item.begin); });
    for (std::size_t i = 0, count = 0; i < begins.size(); i += count) {
      count = begins.size() - i < 2 * kItemsUsual ? begins.size() - i : kItemsUsual;
      const std::uint64_t end = i + count == begins.size() ? bytes.end : begins[i + count];
      Span span{.bytes = {bytes.begin, end}, .users = users, .items = count};
      Gathering<Sink> use{*this, span, sink};
      walk(level - 1, nullptr, span.bytes, use);
      levels_[level].set(bytes.begin, end, std::move(span));
      bytes.begin = end;
    }
  }
  template <class Visit>
  void for_items(std::size_t level, Bytes bytes, Visit&& visit) const {
    const auto visit_item = [&](auto begin, auto end, const auto&) {
      visit(Bytes{begin, end});
      return true;
    };
    if (level == 0) return fragments_.visit(bytes.begin, bytes.end, visit_item);
    levels_[level].visit(bytes.begin, bytes.end, visit_item);
  }
  [[nodiscard]] std::size_t count_items(std::size_t level, Bytes bytes) const {
    std::size_t count = 0;
    for_items(level, bytes, [&](Bytes) { count += 1; });
    return count;
  }

  // Around the bytes that a task has used, if there are others nowhere in these.
  template <class Sink>
  void make_exact(Bytes bytes, Sink& sink) {
    if (first_span(levels_[kExact], bytes.begin, bytes.end) != nullptr) return;
    const auto is_done = [&](Span& span) { return is_over(span, sink); };
    if (levels_[kExact].size() == kExactMax) levels_[kExact].erase_if(is_done);
    if (levels_[kExact].size() == kExactMax) return;
    Span span{.bytes = bytes};
    Gathering<Sink> use{*this, span, sink};
    walk(levels_.size() - 1, nullptr, bytes, use);
    levels_[kExact].set(bytes.begin, bytes.end, std::move(span));
  }
  template <class Sink>
  [[nodiscard]] static bool is_over(Span& span, Sink& sink) {
    return Users::is_over(span.users, sink) && span.below.is_over(sink);
  }

  Grids<Users> grids_;
  base::ByteMap<Users> fragments_;
  std::vector<Spans> levels_;   // of a tree: exact spans, and layers from the lowest to the highest
  std::int64_t allowance_ = 0;  // of fragments to look at
};

}  // namespace myr::deps
