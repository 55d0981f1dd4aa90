// SPDX-License-Identifier: Apache-2.0
//
// Strands: which parts of an OpenMP program are over, in every schedule, when others begin. A
// strand is what a thread or a task does between two places where it is ordered with others; the
// strands of one thread or task are a chain, and edges lead to it from strands of other chains:
// forks, barriers, waits, dependences.
//
// To tell whether one strand comes before another, a search goes back from the later one, the
// latest strands first, as far as the earlier one, from join to join of each chain (ADR 126).
//
// Threads: one. Cost: a question looks at the joins between the two, once for consecutive questions
// about the same later strand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

namespace myr::check {

class Strands {
 public:
  using Id = std::uint32_t;
  static constexpr Id kFirst = 0;  // main's, before all others

  Strands() : strands_(1), chain_count_(1) {}

  // begin() makes the first strand of a chain, go_on() one behind the last of a chain; both are
  // behind `before`, too.
  Id begin(const std::vector<Id>& before);
  Id go_on(Id last, const std::vector<Id>& before = {});
  // All strands so far, of all chains, are before this latest one: that is all that is kept of
  // them.
  void forget_before(Id strand);

  // Is the work of `earlier` over before `later`, which is the same strand or a later one?
  [[nodiscard]] bool is_before(Id earlier, Id later) const;
  [[nodiscard]] bool are_of_one_chain(Id one, Id other) const noexcept {
    return one >= first_ && other >= first_ && at(one).chain == at(other).chain;
  }

 private:
  using Chain = std::uint32_t;
  static constexpr Id kNone = ~Id{0};

  struct Strand {
    Chain chain = 0;
    Id join = kFirst;        // the latest of its chain, up to itself, that has edges, or the first
    Id before_join = kNone;  // of a join: the strand of its chain in front of it
    std::uint32_t first_edge = 0;  // of a join
    std::uint32_t edge_count = 0;
  };
  // What is known to come before one strand.
  struct Search {
    Id from = kNone;
    std::priority_queue<Id> to_look_at = {};
    std::uint32_t number = 0;
  };
  struct Reached {
    std::uint32_t by = 0;  // the number of a search
    Id last = 0;           // of its chain
  };

  [[nodiscard]] const Strand& at(Id strand) const noexcept { return strands_[strand - first_]; }
  Id add(Strand strand, const std::vector<Id>& before);
  void reach(Id strand) const;
  [[nodiscard]] bool has_reached(Id strand) const;

  Id first_ = kFirst;            // of those that are kept
  std::vector<Strand> strands_;  // in the order in which they begin
  std::vector<Id> edges_;
  Chain chain_count_;
  mutable Search search_;
  mutable std::vector<Reached> reached_;  // by chain
};

}  // namespace myr::check
