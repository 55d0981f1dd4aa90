// SPDX-License-Identifier: Apache-2.0
//
// RangeMap: which tasks use which bytes, in the order in which they come: for each byte the last
// writer and who has read it since, in fragments (base::ByteMap). It serves the graph in shared
// memory and the schedulers, which have their own tasks and Users.
//
// Who uses many fragments at once, as a reader of a whole array whose tiles were written, leaves a
// span around them. Others who use the very bytes of a span look at it alone, not at the fragments;
// who uses some of its bytes looks at the span and at his fragments. Where many are met again and
// again, one task that waits for all of them takes their place (fan_in()). So N tasks on parts and
// M on the whole are noted N + M times, and make so many edges.
//
// Threads: one writer; visit() by any thread while nobody writes.
// Invariants
//   1. Bytes in no fragment and no span were never entered since clear(), or all that did is
//      complete.
//   2. Spans are disjoint. A span's `below` has all who use bytes of it in the fragments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/byte_map.hpp"
#include "base/contract.hpp"

namespace myr::deps {

struct Bytes {
  std::uint64_t begin;
  std::uint64_t end;
};

// Users, for a sink that takes those whom its task must wait for:
//   Tasks, Way                       a set of tasks; a way of writing, Way{} for the usual one
//   enter(writes, way, memory, sink) the sink's task uses all of the bytes from now on
//   report(writes, way, sink)        those that such a task would wait for
//   meet(writes, memory, sink)       report() for one who is going to be noted below
//   add_to(writers, readers)         adds the users to these sets
//   add_self(tasks, sink), report_all(tasks, sink), fan_in(tasks, memory, sink)
//   is_over(users or tasks, sink)    have all of them completed?
//   memory_of(bytes)                 what fan_in() has to know of bytes
template <class Users>
class RangeMap {
 public:
  using Way = typename Users::Way;

  // Notes that the sink's task uses these bytes, and reports the earlier tasks that it must wait
  // for. Cost, but for reports: O(log fragments + fragments in the bytes, unless they are a span).
  template <class Sink>
  void enter(Bytes bytes, bool writes, Way way, Sink& sink) {
    fragments_.sweep([&](Users& users) { return Users::is_over(users, sink); });
    if (MYR_UNLIKELY(!spans_.empty())) {
      Span* const span = way == Way{} ? spans_.find(bytes.begin, bytes.end) : nullptr;
      if (span != nullptr) return enter_span(*span, writes, sink);
      meet_spans(bytes, writes, sink);
    }
    std::size_t count = 0;
    fragments_.change(bytes.begin, bytes.end, [&](auto& piece) {
      const auto memory = [&] { return Users::memory_of({piece.begin, piece.end}); };
      piece.value.enter(writes, way, memory, sink);
      count += 1;
    });
    if (MYR_UNLIKELY(count >= kMany)) make_span(bytes, sink);
  }
  // The same for a task that is noted elsewhere, where all who come later meet it.
  template <class Sink>
  void enter_noted(Bytes bytes, bool writes, Sink& sink) {
    Span* const span = writes ? nullptr : find_or_make_span(bytes, sink);
    if (span != nullptr) {
      span->users.report(writes, Way{}, sink);
      meet_below(*span, writes, sink);
    } else {
      visit(bytes, [&](const Users& users) { users.report(writes, Way{}, sink); });
    }
    if (writes) {
      fragments_.erase(bytes.begin, bytes.end);
      spans_.erase(bytes.begin, bytes.end);
    }
  }

  // Calls visit(const Users&) for all who were noted of some of the bytes.
  template <class Visit>
  void visit(Bytes bytes, Visit&& visit) const {
    spans_.visit(bytes.begin, bytes.end, [&](auto, auto, const Span& span) {
      visit(span.users);
      return true;
    });
    fragments_.visit(bytes.begin, bytes.end, [&](auto, auto, const Users& users) {
      visit(users);
      return true;
    });
  }

  void clear() noexcept {
    fragments_.clear();
    spans_.clear();
  }
  [[nodiscard]] bool empty() const noexcept { return fragments_.empty() && spans_.empty(); }
  // For tests: the number of fragments.
  [[nodiscard]] std::size_t size() const noexcept { return fragments_.size(); }

 private:
  static constexpr std::size_t kMany = 8;

  using Tasks = typename Users::Tasks;
  struct Span {
    Bytes bytes;
    Users users;  // of all of it
    Tasks writers_below;
    Tasks readers_below;
  };

  template <class Sink>
  void enter_span(Span& span, bool writes, Sink& sink) {
    meet_below(span, writes, sink);
    const auto memory = [&] { return Users::memory_of(span.bytes); };
    span.users.enter(writes, Way{}, memory, sink);
    if (!writes) return;
    span.writers_below = {};
    span.readers_below = {};
    fragments_.erase(span.bytes.begin, span.bytes.end);
  }
  template <class Sink>
  static void meet_below(Span& span, bool writes, Sink& sink) {
    if (!writes) Users::fan_in(span.writers_below, Users::memory_of(span.bytes), sink);
    Users::report_all(span.writers_below, sink);
    if (writes) Users::report_all(span.readers_below, sink);
  }
  template <class Sink>
  void meet_spans(Bytes bytes, bool writes, Sink& sink) {
    spans_.visit(bytes.begin, bytes.end, [&](auto, auto, Span& span) {
      span.users.meet(writes, Users::memory_of(span.bytes), sink);
      Users::add_self(writes ? span.writers_below : span.readers_below, sink);
      return true;
    });
  }

  template <class Sink>
  [[nodiscard]] Span* find_or_make_span(Bytes bytes, Sink& sink) {
    Span* const span = spans_.find(bytes.begin, bytes.end);
    if (span != nullptr) return span;
    std::size_t count = 0;
    fragments_.visit(bytes.begin, bytes.end,
                     [&](auto, auto, const Users&) { return ++count < kMany; });
    return count < kMany ? nullptr : make_span(bytes, sink);
  }
  // None where there is another span: ranges that lie across each other go through fragments.
  template <class Sink>
  Span* make_span(Bytes bytes, Sink& sink) {
    const auto is_over = [&](auto& tasks) { return Users::is_over(tasks, sink); };
    spans_.sweep([&](Span& span) {
      return is_over(span.users) && is_over(span.writers_below) && is_over(span.readers_below);
    });
    bool is_free = true;
    spans_.visit(bytes.begin, bytes.end, [&](auto, auto, Span&) { return is_free = false; });
    if (!is_free) return nullptr;
    Span span{.bytes = bytes};
    fragments_.visit(bytes.begin, bytes.end, [&](auto, auto, const Users& users) {
      users.add_to(span.writers_below, span.readers_below);
      return true;
    });
    spans_.set(bytes.begin, bytes.end, std::move(span));
    return spans_.find(bytes.begin, bytes.end);
  }

  base::ByteMap<Users> fragments_;
  base::ByteMap<Span> spans_;
};

}  // namespace myr::deps
