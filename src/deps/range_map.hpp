// SPDX-License-Identifier: Apache-2.0
//
// RangeMap: which tasks use which bytes, in the order in which they come: for each byte the last
// writer and who has read it since, in fragments (base::ByteMap). It serves the graph in shared
// memory and the schedulers, which have their own tasks and Users.
//
// Who uses many fragments at once, as a reader of a whole array whose tiles were written, leaves a
// span around them. Others who use all bytes of a span look at it alone, not at the fragments; who
// uses some of its bytes looks at the span and at his fragments. Where many are met again and
// again, one task that waits for all of them takes their place (fan_in()). So N tasks on parts and
// M on the whole are noted N + M times, and make so many edges.
//
// Ranges that lie across spans, as windows that slide over an array do, use whole spans and the
// fragments between and inside others. Who uses many spans or fragments side by side leaves spans
// around each eight of them, in the layer above theirs: those to come use a few in each layer. A
// first span, around the very bytes that somebody has used, lies in a layer that leaves room for
// others inside and around it.
//
// Threads: one writer; visit() by any thread while nobody writes.
// Invariants
//   1. Bytes in no fragment and no span were never entered since clear(), or all that did is
//      complete.
//   2. The spans of a layer are disjoint. Two spans of different layers are, too, or the one of the
//      lower layer lies in the other.
//   3. A span's `below` has all who use bytes of it in the fragments or in spans inside it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/byte_map.hpp"
#include "base/contract.hpp"

namespace myr::deps {

struct Bytes {
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] bool contains(Bytes other) const noexcept {
    return begin <= other.begin && other.end <= end;
  }
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

// Users, for a sink that takes those whom its task must wait for:
//   Tasks, Way, kWays                     a set of tasks; ways of writing, Way{} for the usual one,
//                                         and how many: tasks of another way do not wait for
//                                         each other
//   enter(writes, way, memory, sink)      the sink's task uses all of the bytes from now on
//   report(writes, way, sink)             those that such a task would wait for
//   meet(writes, way, memory, sink)       report() for one who is going to be noted elsewhere
//   for_each(visit)                       visit(writes, way, task) for each user
//   add(tasks, task, sink), add_self(tasks, sink), report_all(tasks, sink)
//   fan_in(tasks, memory, sink)
//   is_over(users or tasks, sink)         have all of them completed?
//   memory_of(bytes)                      what fan_in() has to know of bytes
template <class Users>
class RangeMap {
 public:
  using Way = typename Users::Way;

  // Notes that the sink's task uses these bytes, and reports the earlier tasks that it must wait
  // for. Cost, but for reports: O(log fragments + fragments in the bytes), where there are spans
  // O(log fragments) for about each of the layers.
  template <class Sink>
  void enter(Bytes bytes, bool writes, Way way, Sink& sink) {
    fragments_.sweep([&](Users& users) { return Users::is_over(users, sink); });
    if (MYR_UNLIKELY(used_layers_ != 0)) return enter_layers(bytes, writes, way, sink);
    const std::size_t count = enter_fragments(bytes, writes, way, sink);
    if (MYR_UNLIKELY(count >= kMany)) make_exact_span(bytes, sink);
  }
  // The same for a task that is noted elsewhere, where all who come later meet it.
  template <class Sink>
  void enter_noted(Bytes bytes, bool writes, Way way, Sink& sink) {
    if (writes && way == Way{}) {
      visit(bytes, [&](const Users& users) { users.report(true, way, sink); });
      erase(bytes, kLayers);
      return;
    }
    if (used_layers_ == 0 && count_fragments(bytes) >= kMany) make_exact_span(bytes, sink);
    Meeting<Sink> use{*this, writes, sink};
    walk_and_bundle(bytes, use);
  }

  // Calls visit(const Users&) for all who were noted of some of the bytes.
  template <class Visit>
  void visit(Bytes bytes, Visit&& visit) const {
    for (const base::ByteMap<Span>& layer : layers_) {
      layer.visit(bytes.begin, bytes.end, [&](auto, auto, const Span& span) {
        visit(span.users);
        return true;
      });
    }
    fragments_.visit(bytes.begin, bytes.end, [&](auto, auto, const Users& users) {
      visit(users);
      return true;
    });
  }

  void clear() noexcept {
    fragments_.clear();
    layers_.clear();
    used_layers_ = 0;
  }
  [[nodiscard]] bool empty() const noexcept { return fragments_.empty() && used_layers_ == 0; }
  // For tests: the number of fragments.
  [[nodiscard]] std::size_t size() const noexcept { return fragments_.size(); }

 private:
  static constexpr std::size_t kMany = 8;
  // Layer 0 stands for the fragments.
  static constexpr unsigned kLayers = 16;
  static constexpr unsigned kExactLayer = 8;

  using Tasks = typename Users::Tasks;
  struct Span {
    Bytes bytes;
    Users users;  // of all of it
    // Below, by the way of writing.
    std::array<Tasks, Users::kWays> writers = {};
    Tasks readers = {};

    [[nodiscard]] Tasks& below(bool writes, Way way) noexcept {
      return writes ? writers[static_cast<std::size_t>(way)] : readers;
    }
  };
  // Many items of a layer, side by side: between spans of higher layers, or inside one of them.
  struct Run {
    Bytes bytes;
    unsigned layer;
    unsigned ceiling;  // the layer of the span around them, or kLayers

    friend bool operator==(const Run&, const Run&) = default;
  };

  // What enter() does with what lies in the bytes, or has some of them.
  template <class Sink>
  struct Entering {
    RangeMap& map;
    bool writes;
    Way way;
    Sink& sink;

    void use_whole(Span& span, unsigned layer) const {
      meet_below(span, writes, way, sink);
      const auto memory = [&] { return Users::memory_of(span.bytes); };
      span.users.enter(writes, way, memory, sink);
      if (!writes || way != Way{}) return;
      for (Tasks& tasks : span.writers) tasks = {};
      span.readers = {};
      map.erase(span.bytes, layer);
    }
    void use_part(Span& span) const {
      span.users.meet(writes, way, Users::memory_of(span.bytes), sink);
      Users::add_self(span.below(writes, way), sink);
    }
    std::size_t use_fragments(Bytes bytes) const {
      return map.enter_fragments(bytes, writes, way, sink);
    }
  };
  // And enter_noted().
  template <class Sink>
  struct Meeting {
    RangeMap& map;
    bool writes;
    Sink& sink;

    void use_whole(Span& span, unsigned) const {
      meet_below(span, writes, Way{}, sink);
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
  };

  // Apart from enter(), which stays short without spans.
  template <class Sink>
  [[gnu::noinline]] void enter_layers(Bytes bytes, bool writes, Way way, Sink& sink) {
    Entering<Sink> use{*this, writes, way, sink};
    walk_and_bundle(bytes, use);
  }
  template <class Sink>
  MYR_INLINE std::size_t enter_fragments(Bytes bytes, bool writes, Way way, Sink& sink) {
    std::size_t count = 0;
    fragments_.change(bytes.begin, bytes.end, [&](auto& piece) {
      const auto memory = [&] { return Users::memory_of({piece.begin, piece.end}); };
      piece.value.enter(writes, way, memory, sink);
      count += 1;
    });
    return count;
  }
  [[nodiscard]] std::size_t count_fragments(Bytes bytes) const {
    std::size_t count = 0;
    fragments_.visit(bytes.begin, bytes.end,
                     [&](auto, auto, const Users&) { return ++count < kMany; });
    return count;
  }
  // Forgets who used the bytes, in the layers below that one.
  void erase(Bytes bytes, unsigned layer) {
    for (unsigned i = 1; i < std::min<std::size_t>(layer, layers_.size()); ++i) {
      layers_[i].erase(bytes.begin, bytes.end);
    }
    fragments_.erase(bytes.begin, bytes.end);
  }

  // Reports those below whom such a user of the whole span waits for. All but the usual writer
  // leave them there for others.
  template <class Sink>
  static void meet_below(Span& span, bool writes, Way way, Sink& sink) {
    const bool stay = !writes || way != Way{};
    const auto meet = [&](Tasks& tasks) {
      if (stay) Users::fan_in(tasks, Users::memory_of(span.bytes), sink);
      Users::report_all(tasks, sink);
    };
    for (std::size_t i = 0; i < Users::kWays; ++i) {
      const bool are_of_his_group = writes && i != 0 && i == static_cast<std::size_t>(way);
      if (!are_of_his_group) meet(span.writers[i]);
    }
    if (writes) meet(span.readers);
  }

  // ---- layers

  // The highest layer with spans below that one; 0: none.
  [[nodiscard]] unsigned next_layer(unsigned layer) const noexcept {
    const std::uint32_t below = used_layers_ & ((std::uint32_t{1} << layer) - 1);
    return below == 0 ? 0 : static_cast<unsigned>(std::bit_width(below)) - 1;
  }
  [[nodiscard]] Span* first_span(unsigned layer, std::uint64_t begin, std::uint64_t end) {
    Span* first = nullptr;
    layers_[layer].visit(begin, end, [&](auto, auto, Span& span) {
      first = &span;
      return false;
    });
    return first;
  }

  template <class Use>
  void walk_and_bundle(Bytes bytes, Use& use) {
    std::vector<Run> runs;
    walk(bytes, kLayers, kLayers, use, runs);
    if (MYR_LIKELY(runs.empty())) return;
    if (runs.front() == Run{bytes, 0, kLayers} && make_exact_span(bytes, use.sink)) return;
    // The highest first: no span is made in a layer above one that lies around it.
    std::sort(runs.begin(), runs.end(),
              [](const Run& a, const Run& b) { return a.layer > b.layer; });
    for (const Run& run : runs) bundle(run, use.sink);
  }
  // Uses the spans below a layer, and the fragments, and notes where there are many side by side.
  template <class Use>
  void walk(Bytes bytes, unsigned layer, unsigned ceiling, Use& use, std::vector<Run>& runs) {
    Span* span = nullptr;
    do {
      layer = next_layer(layer);
      if (layer == 0) {
        if (use.use_fragments(bytes) >= kMany) runs.push_back({bytes, 0, ceiling});
        return;
      }
      span = first_span(layer, bytes.begin, bytes.end);
    } while (span == nullptr);
    std::size_t count = 0;
    std::uint64_t at = bytes.begin;
    for (; span != nullptr; span = first_span(layer, at, bytes.end)) {
      const Bytes all = span->bytes;
      if (at < all.begin) walk({at, all.begin}, layer, ceiling, use, runs);
      if (bytes.contains(all)) {
        use.use_whole(*span, layer);
        count += 1;
      } else {
        use.use_part(*span);
        const Bytes common{std::max(at, all.begin), std::min(all.end, bytes.end)};
        walk(common, layer, layer, use, runs);
      }
      at = std::min(all.end, bytes.end);
    }
    if (at < bytes.end) walk({at, bytes.end}, layer, ceiling, use, runs);
    if (count >= kMany) runs.push_back({bytes, layer, ceiling});
  }

  // Makes spans around each eight items of a run, and likewise of those.
  template <class Sink>
  void bundle(Run run, Sink& sink) {
    for (; run.layer + 1 < run.ceiling; run.layer += 1) {
      const std::vector<Bytes> items = items_of(run);
      for (std::size_t i = 0; i + kMany <= items.size(); i += kMany) {
        if (!make_span({items[i].begin, items[i + kMany - 1].end}, run.layer + 1, sink)) return;
      }
      if (items.size() < kMany) return;
    }
  }
  [[nodiscard]] std::vector<Bytes> items_of(const Run& run) const {
    std::vector<Bytes> items;
    const auto add = [&](std::uint64_t begin, std::uint64_t end, const auto&) {
      items.push_back({begin, end});
      return true;
    };
    if (run.layer == 0) {
      fragments_.visit(run.bytes.begin, run.bytes.end, add);
    } else {
      layers_[run.layer].visit(run.bytes.begin, run.bytes.end, add);
    }
    return items;
  }

  // Around the bytes that a task has used, if there is no other span.
  template <class Sink>
  bool make_exact_span(Bytes bytes, Sink& sink) {
    for (unsigned layer = 1; layer < layers_.size(); ++layer) {
      if (first_span(layer, bytes.begin, bytes.end) != nullptr) return false;
    }
    return make_span(bytes, kExactLayer, sink);
  }
  // False: it would not lie in those of higher layers.
  template <class Sink>
  bool make_span(Bytes bytes, unsigned layer, Sink& sink) {
    if (layers_.size() <= layer) layers_.resize(layer + 1);
    for (unsigned i = layer; i < layers_.size(); ++i) {
      const Span* const other = first_span(i, bytes.begin, bytes.end);
      if (other != nullptr && (i == layer || !other->bytes.contains(bytes))) return false;
    }
    layers_[layer].sweep([&](Span& span) { return is_over(span, sink); });
    Span span{.bytes = bytes};
    const auto add = [&](bool writes, Way way, auto task) {
      Users::add(span.below(writes, way), task, sink);
    };
    for (unsigned i = 1; i < layer; ++i) {
      layers_[i].visit(bytes.begin, bytes.end, [&](auto, auto, const Span& other) {
        other.users.for_each(add);
        return true;
      });
    }
    fragments_.visit(bytes.begin, bytes.end, [&](auto, auto, const Users& users) {
      users.for_each(add);
      return true;
    });
    layers_[layer].set(bytes.begin, bytes.end, std::move(span));
    used_layers_ |= std::uint32_t{1} << layer;
    return true;
  }
  template <class Sink>
  [[nodiscard]] static bool is_over(Span& span, Sink& sink) {
    bool over = Users::is_over(span.users, sink) && Users::is_over(span.readers, sink);
    for (Tasks& tasks : span.writers) over = over && Users::is_over(tasks, sink);
    return over;
  }

  base::ByteMap<Users> fragments_;
  std::vector<base::ByteMap<Span>> layers_;  // by their number; the first is not used
  std::uint32_t used_layers_ = 0;            // a bit each: it has, or had, spans
};

}  // namespace myr::deps
