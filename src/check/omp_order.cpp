// SPDX-License-Identifier: Apache-2.0
#include "check/omp_order.hpp"

#include "base/contract.hpp"

namespace myr::check {

Strands::Id Strands::add(Strand strand, const std::vector<Id>& before) {
  const Id id = first_ + static_cast<Id>(strands_.size());
  if (!before.empty() || strand.before_join == kNone) {
    strand.join = id;
    strand.first_edge = static_cast<std::uint32_t>(edges_.size());
    strand.edge_count = static_cast<std::uint32_t>(before.size());
    edges_.insert(edges_.end(), before.begin(), before.end());
  }
  strands_.push_back(strand);
  return id;
}

Strands::Id Strands::begin(const std::vector<Id>& before) {
  return add({.chain = chain_count_++}, before);
}

Strands::Id Strands::go_on(Id last, const std::vector<Id>& before) {
  if (last < first_) return begin(before);
  return add({.chain = at(last).chain, .join = at(last).join, .before_join = last}, before);
}

void Strands::forget_before(Id strand) {
  MYR_ASSERT(strand + 1 == first_ + strands_.size());
  first_ = strand;
  strands_.assign(1, {.join = strand});
  edges_.clear();
  chain_count_ = 1;
  reached_.clear();
  search_ = {.number = search_.number};
}

bool Strands::has_reached(Id strand) const {
  if (strand < first_) return true;
  const Reached& reached = reached_[at(strand).chain];
  return reached.by == search_.number && strand <= reached.last;
}

// The strand is before the one that is asked for.
void Strands::reach(Id strand) const {
  if (has_reached(strand)) return;
  reached_[at(strand).chain] = {.by = search_.number, .last = strand};
  search_.to_look_at.push(at(strand).join);
}

bool Strands::is_before(Id earlier, Id later) const {
  if (earlier > later) return false;
  if (earlier <= first_ || are_of_one_chain(earlier, later)) return true;
  reached_.resize(chain_count_);
  if (search_.from != later) {
    search_ = {.from = later, .number = search_.number + 1};
    reach(later);
  }
  while (!search_.to_look_at.empty() && search_.to_look_at.top() > earlier) {
    const Id id = search_.to_look_at.top();
    while (!search_.to_look_at.empty() && search_.to_look_at.top() == id) search_.to_look_at.pop();
    const Strand& join = at(id);
    for (std::uint32_t i = 0; i != join.edge_count; ++i) reach(edges_[join.first_edge + i]);
    if (join.before_join != kNone) search_.to_look_at.push(at(join.before_join).join);
  }
  return has_reached(earlier);
}

}  // namespace myr::check
