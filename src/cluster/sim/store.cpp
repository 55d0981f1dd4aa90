// SPDX-License-Identifier: Apache-2.0
#include "cluster/sim/store.hpp"

namespace myr::cluster::sim {

using proto::AgentId;
using proto::NodeId;
using sched::ByteRange;

namespace {

// An address contains its owner. Zero is not an address.
constexpr unsigned kOwnerShift = 44;
constexpr std::uint64_t kGranule = 64;  // objects are whole slots, as in paper 2

std::uint64_t first_address(AgentId owner) { return (std::uint64_t{owner} + 1) << kOwnerShift; }

}  // namespace

SimStore::SimStore(const sched::Topology& topology, AgentId self)
    : topology_(topology), self_(self), next_address_(first_address(self)) {}

void SimStore::open(NodeId region) { regions_[region]; }

void SimStore::close(NodeId region) {
  for (const std::uint64_t object : regions_.at(region)) objects_.erase(object);
  regions_.erase(region);
}

std::vector<std::uint64_t> SimStore::allocate(NodeId region, std::uint64_t bytes,
                                              std::uint64_t count) {
  const std::uint64_t rounded = (bytes + kGranule - 1) / kGranule * kGranule;
  std::vector<std::uint64_t>& held = regions_.at(region);
  std::vector<std::uint64_t> addresses;
  addresses.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    objects_.emplace(next_address_, Object{.region = region, .bytes = rounded});
    held.push_back(next_address_);
    addresses.push_back(next_address_);
    next_address_ += rounded;
  }
  return addresses;
}

void SimStore::free(std::uint64_t object) { objects_.erase(object); }

std::optional<NodeId> SimStore::region_of(std::uint64_t object) const {
  const auto found = objects_.find(object);
  if (found == objects_.end()) return {};
  return found->second.region;
}

ByteRange SimStore::range_of(std::uint64_t object) const {
  return {.address = object, .bytes = objects_.at(object).bytes};
}

std::vector<ByteRange> SimStore::pack(NodeId region) const {
  std::vector<ByteRange> ranges;
  for (const std::uint64_t address : regions_.at(region)) {
    const auto object = objects_.find(address);
    if (object == objects_.end()) continue;
    if (!ranges.empty() && ranges.back().address + ranges.back().bytes == address) {
      ranges.back().bytes += object->second.bytes;
    } else {
      ranges.push_back({.address = address, .bytes = object->second.bytes});
    }
  }
  return ranges;
}

AgentId SimStore::holder(std::uint64_t address) const {
  if (address < first_address(0)) return proto::kNoAgent;
  const std::uint64_t owner = (address >> kOwnerShift) - 1;
  if (owner >= topology_.agent_count()) return proto::kNoAgent;
  const auto agent = static_cast<AgentId>(owner);
  if (agent == self_) return self_;
  return topology_.is_within(agent, self_) ? topology_.next_hop(self_, agent) : proto::kNoAgent;
}

}  // namespace myr::cluster::sim
