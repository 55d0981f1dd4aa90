// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/made_regions.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace myr::cluster::mpi {

using deps::RegionIndex;
using proto::AgentId;
using proto::NodeId;
using proto::PageRun;

// ---- what is lent -------------------------------------------------------------------------------

std::optional<PageRun> MadeRegions::Lender::take(std::uint64_t count) {
  for (auto& [first, free] : free_) {
    if (free < count) continue;
    const PageRun run{first, count};
    const PageRun rest{run.end(), free - count};
    free_.erase(first);
    if (rest.count != 0) free_.emplace(rest.first, rest.count);
    return run;
  }
  return {};
}

void MadeRegions::Lender::give(PageRun run) {
  auto next = free_.lower_bound(run.first);
  if (next != free_.end() && next->first == run.end()) {
    run.count += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == run.first) {
      before->second += run.count;
      return;
    }
  }
  free_.emplace(run.first, run.count);
}

MadeRegions::Lender& MadeRegions::lender(AgentId owner) {
  std::unique_ptr<Lender>& lender = lenders_[owner];
  if (lender == nullptr) lender = std::make_unique<Lender>(owner, space_);
  return *lender;
}

proto::Lend MadeRegions::next_loan(AgentId owner, std::uint64_t pages) {
  const std::scoped_lock lock(lock_);
  Lender& from = lender(owner);
  const proto::Lend lend{.request = 0,
                         .asker = proto::kNoAgent,
                         .indices = from.next_indices,
                         .pages = std::max(from.next_pages, pages)};
  from.next_indices = std::min(2 * from.next_indices, kIndicesMax);
  from.next_pages = std::min(2 * from.next_pages, kPagesMax);
  return lend;
}

void MadeRegions::borrow(const proto::Lent& lent) {
  const std::scoped_lock lock(lock_);
  space_.borrow_indices(lent.indices);
  for (const PageRun run : lent.pages) lender(lent.owner).give(run);
}

// ---- what is made of it -------------------------------------------------------------------------

std::optional<myr_region> MadeRegions::make(proto::TaskId holder, myr_region parent) {
  const NodeId around = NodeId::region(parent);
  const AgentId owner = proto::owner_of_region(around);
  const std::scoped_lock lock(lock_);
  Lender& from = lender(owner);
  const std::optional<std::uint64_t> serial = from.store.new_serial(owner, around);
  if (!serial) return {};
  const NodeId region = proto::make_region_id(owner, *serial);
  if (!from.store.open(region)) return {};  // the index is free again
  const RegionIndex index = deps::RegionTree::index_of(region.value());
  const std::uint64_t number = next_number_++;
  made_.emplace(index, Made{.holder = holder, .number = number});
  by_holder_[holder].emplace(number, index);
  const auto above = made_.find(deps::RegionTree::index_of(parent));
  if (above != made_.end()) above->second.inside.insert(index);
  return region.value();
}

bool MadeRegions::has(RegionIndex region) const {
  const std::scoped_lock lock(lock_);
  return made_.contains(region);
}

std::optional<proto::TaskId> MadeRegions::holder_of(RegionIndex region) const {
  const std::scoped_lock lock(lock_);
  const auto found = made_.find(region);
  if (found == made_.end()) return {};
  return found->second.holder;
}

std::vector<RegionIndex> MadeRegions::regions_of(proto::TaskId holder) const {
  const std::scoped_lock lock(lock_);
  std::vector<RegionIndex> regions;
  const auto held = by_holder_.find(holder);
  if (held == by_holder_.end()) return regions;
  for (const auto& [number, index] : held->second) regions.push_back(index);
  return regions;
}

bool MadeRegions::allocate(myr_region region, std::size_t bytes, std::size_t count,
                           void** objects) {
  const NodeId node = NodeId::region(region);
  const std::scoped_lock lock(lock_);
  const auto made = lender(proto::owner_of_region(node)).store.allocate(node, bytes, count);
  std::transform(made.begin(), made.end(), objects,
                 [](std::uint64_t address) { return reinterpret_cast<void*>(address); });
  return made.size() == count;
}

void MadeRegions::free(void* object, myr_region region) {
  const std::scoped_lock lock(lock_);
  const AgentId owner = proto::owner_of_region(NodeId::region(region));
  lender(owner).store.free(reinterpret_cast<std::uintptr_t>(object));
}

// By a loop, as regions may lie inside each other more deeply than a stack has room for.
void MadeRegions::free_region(RegionIndex top) {
  const std::scoped_lock lock(lock_);
  const auto above = made_.find(space_.tree().parent(top));
  if (above != made_.end()) above->second.inside.erase(top);
  std::vector<RegionIndex> all{top};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Made& made = made_.at(all[i]);
    all.insert(all.end(), made.inside.begin(), made.inside.end());
  }
  for (auto index = all.rbegin(); index != all.rend(); ++index) {
    const NodeId region = NodeId::region(space_.tree().id_of(*index));
    const auto found = made_.find(*index);
    const auto held = by_holder_.find(found->second.holder);
    held->second.erase(found->second.number);
    if (held->second.empty()) by_holder_.erase(held);
    made_.erase(found);
    lender(proto::owner_of_region(region)).store.close(region);
  }
}

void MadeRegions::free_inside(proto::TaskId holder, RegionIndex region) {
  std::vector<RegionIndex> tops;
  {
    const std::scoped_lock lock(lock_);
    const auto held = by_holder_.find(holder);
    if (held == by_holder_.end()) return;
    const deps::RegionTree& tree = space_.tree();
    for (const auto& [number, index] : held->second) {
      const bool is_top = !made_.contains(tree.parent(index));
      if (is_top && tree.encloses(region, index)) tops.push_back(index);
    }
  }
  for (const RegionIndex top : tops) free_region(top);
}

// ---- what is told of it -------------------------------------------------------------------------

void MadeRegions::hand_over(proto::TaskId holder, AgentId self,
                            const std::function<void(AgentId, proto::HandOver)>& send,
                            const std::function<void(const mem::PoolPart&)>& leave) {
  const std::scoped_lock lock(lock_);
  const auto held = by_holder_.find(holder);
  if (held == by_holder_.end()) return;
  std::map<AgentId, proto::HandOver> messages;
  const auto send_one = [&](AgentId owner) {
    proto::HandOver message = std::exchange(messages[owner], {});
    message.maker = self;
    send(owner, std::move(message));
  };
  const deps::RegionTree& tree = space_.tree();
  for (const auto& [number, index] : held->second) {
    const NodeId region = NodeId::region(tree.id_of(index));
    const AgentId owner = proto::owner_of_region(region);
    proto::HandOver& message = messages[owner];
    message.regions.push_back(
        {.region = region, .parent = NodeId::region(tree.id_of(tree.parent(index)))});
    for (const mem::PoolPart& part : lender(owner).store.hand_over(region, message.memory)) {
      if (part.kind == mem::PoolPart::Kind::Span || part.kind == mem::PoolPart::Kind::Huge) {
        leave(part);
      }
    }
    made_.erase(index);
    if (message.regions.size() == kToldAtOnce) send_one(owner);
  }
  by_holder_.erase(held);
  for (const auto& [owner, message] : messages) {
    if (!message.regions.empty()) send_one(owner);
  }
}

}  // namespace myr::cluster::mpi
