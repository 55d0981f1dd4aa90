// SPDX-License-Identifier: Apache-2.0
//
// The memory of one simulated scheduler's regions: addresses without bytes behind them. Freed
// addresses are used again at once, so that whoever mistakes an old object for a new one is found.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "sched/surroundings.hpp"
#include "sched/topology.hpp"

namespace myr::sim_test {

class FakeStore final : public sched::Store {
 public:
  FakeStore(const sched::Topology& topology, proto::AgentId self)
      : topology_(topology), self_(self), next_(first_address(self)) {}

  void open(proto::NodeId region) override { regions_[region]; }
  void close(proto::NodeId region) override {
    for (const std::uint64_t object : regions_.at(region)) recycle(object);
    regions_.erase(region);
  }
  std::vector<std::uint64_t> allocate(proto::NodeId region, std::uint64_t bytes,
                                      std::uint64_t count) override {
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t i = 0; i < count; ++i) addresses.push_back(allocate_one(region, bytes));
    return addresses;
  }
  void free(std::uint64_t object) override {
    regions_.at(objects_.at(object).region).erase(object);
    recycle(object);
  }
  std::optional<proto::NodeId> region_of(std::uint64_t object) const override {
    const auto found = objects_.find(object);
    if (found == objects_.end()) return {};
    return found->second.region;
  }
  sched::ByteRange range_of(std::uint64_t object) const override {
    return {.address = object, .bytes = objects_.at(object).bytes};
  }
  std::vector<sched::ByteRange> pack(proto::NodeId region) const override {
    std::vector<sched::ByteRange> ranges;
    for (const std::uint64_t object : regions_.at(region)) {
      const std::uint64_t bytes = objects_.at(object).bytes;
      if (!ranges.empty() && ranges.back().address + ranges.back().bytes == object) {
        ranges.back().bytes += bytes;
      } else {
        ranges.push_back({.address = object, .bytes = bytes});
      }
    }
    return ranges;
  }
  proto::AgentId holder(std::uint64_t address) const override {
    const auto owner = static_cast<proto::AgentId>(address >> kOwnerShift) - 1;
    if (owner == self_) return self_;
    if (owner >= topology_.agent_count() || !topology_.is_within(owner, self_)) {
      return proto::kNoAgent;
    }
    return topology_.next_hop(self_, owner);
  }

 private:
  struct Object {
    proto::NodeId region;
    std::uint64_t bytes;
  };
  static constexpr unsigned kOwnerShift = 32;
  static constexpr std::uint64_t kGranule = 64;

  static std::uint64_t first_address(proto::AgentId agent) {
    return (std::uint64_t{agent} + 1) << kOwnerShift;
  }
  std::uint64_t allocate_one(proto::NodeId region, std::uint64_t bytes) {
    const std::uint64_t rounded = (bytes + kGranule - 1) / kGranule * kGranule;
    std::vector<std::uint64_t>& old = free_[rounded];
    std::uint64_t address = next_;
    if (old.empty()) {
      next_ += rounded;
    } else {
      address = old.back();
      old.pop_back();
    }
    objects_[address] = {.region = region, .bytes = rounded};
    regions_.at(region).insert(address);
    return address;
  }
  void recycle(std::uint64_t object) {
    free_[objects_.at(object).bytes].push_back(object);
    objects_.erase(object);
  }

  const sched::Topology& topology_;
  proto::AgentId self_;
  std::uint64_t next_;
  std::map<std::uint64_t, Object> objects_;
  std::map<proto::NodeId, std::set<std::uint64_t>> regions_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> free_;
};

}  // namespace myr::sim_test
