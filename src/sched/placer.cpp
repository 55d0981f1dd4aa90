// SPDX-License-Identifier: Apache-2.0
#include "sched/placer.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace myr::sched {

using proto::Load;
using proto::Piece;

Placer::Placer(const Topology& topology, AgentId self, unsigned load_percent)
    : topology_(topology),
      self_(self),
      load_percent_(load_percent),
      children_(topology.children(self).size()) {
  MYR_ASSERT(load_percent <= 100);
}

// The child that the agent is, or is below.
std::size_t Placer::index_of(AgentId agent) const noexcept {
  const std::vector<AgentId>& all = topology_.children(self_);
  return static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), agent) - all.begin()) -
         1;
}

// For each child, its share of the bytes, from 0 to kScoreMax. Data elsewhere counts for nobody.
std::vector<std::uint64_t> Placer::localities(const std::vector<Piece>& pieces) const {
  std::vector<std::uint64_t> bytes(children_.size());
  std::uint64_t total = 0;
  for (const Piece& piece : pieces) {
    total += piece.bytes;
    const bool is_below = piece.producer != proto::kNoAgent && piece.producer != self_ &&
                          topology_.is_within(piece.producer, self_);
    if (is_below) bytes[index_of(piece.producer)] += piece.bytes;
  }
  for (std::uint64_t& share : bytes) share = total == 0 ? 0 : share * kScoreMax / total;
  return bytes;
}

// The index with the highest score; among equals, the first from `turn` on, which moves past it.
template <class Score>
std::size_t Placer::best(std::size_t& turn, Score&& score) const {
  std::size_t winner = turn % children_.size();
  for (std::size_t step = 1; step < children_.size(); ++step) {
    const std::size_t index = (turn + step) % children_.size();
    if (score(index) > score(winner)) winner = index;
  }
  turn = (winner + 1) % children_.size();
  return winner;
}

AgentId Placer::place_task(const std::vector<Piece>& pieces) {
  const std::vector<std::uint64_t> locality = localities(pieces);
  const auto [least, most] =
      std::minmax_element(children_.begin(), children_.end(),
                          [](const Child& a, const Child& b) { return a.tasks < b.tasks; });
  const std::uint64_t low = least->tasks;
  const std::uint64_t span = most->tasks - low;
  const std::size_t winner = best(task_turn_, [&](std::size_t index) {
    const std::uint64_t idle =
        span == 0 ? 0 : (low + span - children_[index].tasks) * kScoreMax / span;
    return load_percent_ * idle + (100 - load_percent_) * locality[index];
  });
  children_[winner].tasks += 1;
  children_[winner].places += 1;
  return topology_.children(self_)[winner];
}

void Placer::task_ended(AgentId worker) {
  std::uint32_t& tasks = children_[index_of(worker)].tasks;
  MYR_ASSERT(tasks > 0);
  tasks -= 1;
}

AgentId Placer::place_region() {
  const std::size_t winner = best(
      region_turn_, [&](std::size_t index) { return ~std::uint64_t{children_[index].regions}; });
  children_[winner].regions += 1;
  return topology_.children(self_)[winner];
}

void Placer::report(AgentId child, const Load& load) {
  // Tasks that are on their way there are not in the report.
  Child& told = children_[index_of(child)];
  told.tasks = load.tasks + static_cast<std::uint32_t>(told.places - load.places);
  told.regions = load.regions;
}

std::optional<Load> Placer::take_report() {
  Load now{.tasks = 0, .regions = own_regions_, .places = told_.places};
  for (const Child& child : children_) {
    now.tasks += child.tasks;
    now.regions += child.regions;
  }
  const auto differs = [](std::uint64_t then, std::uint64_t present, std::uint64_t parts) {
    const std::uint64_t change = present > then ? present - then : then - present;
    return change * parts > then || (present == 0) != (then == 0);
  };
  if (!differs(told_.tasks, now.tasks, 4) && !differs(told_.regions, now.regions, 10)) return {};
  told_ = now;
  return now;
}

}  // namespace myr::sched
