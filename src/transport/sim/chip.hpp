// SPDX-License-Identifier: Apache-2.0
//
// Chip: a simulated manycore processor: which cores it has, where they are, and how long it takes
// to get from one to another. There is the family of the Formic prototype of paper 1, section III,
// in any size: boards of eight weak cores in a 3D mesh, and boards of four strong cores beside
// them. And there is the chip of paper 3 (scc/chip.hpp), with a tree of schedulers in place of the
// master.
//
// All times are in cycles of a weak core; on the SCC in those of its cores.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "transport/sim/costs.hpp"
#include "transport/sim/event_queue.hpp"
#include "transport/sim/scc/chip.hpp"

namespace myr::transport::sim {

// Strong cores first, then weak ones so that neighbours in number are neighbours in space.
using CoreIndex = std::uint32_t;

class Chip {
 public:
  struct Cores {
    unsigned strong = 0;
    unsigned weak = 0;
  };
  static constexpr unsigned kCoresMax = 16'384;

  // "scc-48-tree", "formic-520", "formic-512", or "formic-S+W" with S strong and W weak cores.
  // None: another name, no weak core, or more than kCoresMax cores.
  [[nodiscard]] static std::optional<Chip> named(std::string_view name);
  // REQUIRES: at least one weak core, kCoresMax at most in all.
  [[nodiscard]] static Chip formic(Cores cores);
  // All cores are weak ones.
  [[nodiscard]] static Chip scc();

  // All cores see one memory, through caches of their own, and nothing is sent from one to another
  // but messages.
  [[nodiscard]] bool shares_memory() const noexcept { return !numbers_.empty(); }
  // REQUIRES: shares_memory().
  [[nodiscard]] scc::CoreNumber number_of(CoreIndex core) const noexcept { return numbers_[core]; }

  [[nodiscard]] const Cores& cores() const noexcept { return cores_; }
  [[nodiscard]] unsigned core_count() const noexcept { return cores_.strong + cores_.weak; }
  [[nodiscard]] bool is_strong(CoreIndex core) const noexcept { return core < cores_.strong; }

  // Boards between two cores, the last one counted; 0 on one board.
  [[nodiscard]] unsigned hops(CoreIndex a, CoreIndex b) const noexcept;
  // The time of a message of one unit, or of the first bytes of a transfer.
  [[nodiscard]] Cycles latency(CoreIndex from, CoreIndex to) const noexcept;
  // How long a core works for what costs a weak core so much.
  [[nodiscard]] Cycles scaled(CoreIndex core, Cycles weak_cycles) const noexcept;

  [[nodiscard]] const Costs& costs() const noexcept { return costs_; }

 private:
  using Place = std::array<unsigned, 3>;

  explicit Chip(Cores cores, const Costs& costs = kFormic) : cores_(cores), costs_(costs) {}
  void lay_out();

  Cores cores_;
  std::vector<Place> places_;  // of each core's board; of the board that strong ones are beside
  std::vector<scc::CoreNumber> numbers_;  // of the SCC: by core
  Costs costs_;
};

}  // namespace myr::transport::sim
