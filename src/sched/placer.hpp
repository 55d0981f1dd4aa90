// SPDX-License-Identifier: Apache-2.0
//
// Placer: which child of a scheduler gets a task or a region (paper 1, section V-C). A score weighs
// how much of the task's data is below a child against how little that child has to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "proto/messages.hpp"
#include "sched/topology.hpp"

namespace myr::sched {

class Placer {
 public:
  // `load_percent`: what the score is made of: 100: load alone, 0: locality alone.
  Placer(const Topology& topology, AgentId self, unsigned load_percent);

  // The child with the highest score; among equals, the next in turn. Counts the task in.
  [[nodiscard]] AgentId place_task(const std::vector<proto::Piece>& pieces);
  // Main runs below from the start.
  void add_main(AgentId worker) { children_[index_of(worker)].tasks += 1; }
  // The scheduler above has placed a task here.
  void placed_from_above() { told_.places += 1; }
  // A task that this scheduler, or one above, had placed below has ended.
  void task_ended(AgentId worker);
  // The child with the fewest regions; among equals, the next in turn.
  [[nodiscard]] AgentId place_region();
  void region_added() { own_regions_ += 1; }
  void region_removed() { own_regions_ -= 1; }

  // A child has told its load.
  void report(AgentId child, const proto::Load& load);
  // What to tell the scheduler above, if it has changed enough since the last time: by a tenth of
  // the regions or a quarter of the tasks, and whenever one of them comes from or goes to zero.
  [[nodiscard]] std::optional<proto::Load> take_report();

  static constexpr std::uint64_t kScoreMax = 1024;

 private:
  struct Child {
    std::uint32_t tasks = 0;
    std::uint32_t regions = 0;
    std::uint64_t places = 0;  // sent there, ever
  };

  [[nodiscard]] std::size_t index_of(AgentId agent) const noexcept;
  [[nodiscard]] std::vector<std::uint64_t> localities(
      const std::vector<proto::Piece>& pieces) const;
  template <class Score>
  [[nodiscard]] std::size_t best(std::size_t& turn, Score&& score) const;

  const Topology& topology_;
  AgentId self_;
  std::uint64_t load_percent_;
  std::vector<Child> children_;
  std::uint32_t own_regions_ = 0;
  std::size_t task_turn_ = 0;
  std::size_t region_turn_ = 0;
  proto::Load told_{.tasks = 0, .regions = 0};
};

}  // namespace myr::sched
