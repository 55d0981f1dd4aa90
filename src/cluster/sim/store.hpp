// SPDX-License-Identifier: Apache-2.0
//
// The memory of one simulated scheduler's regions: addresses without bytes behind them. They are
// never used again; there are enough of them.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "sched/surroundings.hpp"
#include "sched/topology.hpp"

namespace myr::cluster::sim {

class SimStore final : public sched::Store {
 public:
  SimStore(const sched::Topology& topology, proto::AgentId self);

  void open(proto::NodeId region) override;
  void close(proto::NodeId region) override;
  [[nodiscard]] std::vector<std::uint64_t> allocate(proto::NodeId region, std::uint64_t bytes,
                                                    std::uint64_t count) override;
  void free(std::uint64_t object) override;
  [[nodiscard]] std::optional<proto::NodeId> region_of(std::uint64_t object) const override;
  [[nodiscard]] sched::ByteRange range_of(std::uint64_t object) const override;
  [[nodiscard]] std::vector<sched::ByteRange> pack(proto::NodeId region) const override;
  [[nodiscard]] proto::AgentId holder(std::uint64_t address) const override;

 private:
  struct Object {
    proto::NodeId region;
    std::uint64_t bytes;
  };

  const sched::Topology& topology_;
  proto::AgentId self_;
  std::uint64_t next_address_;
  std::unordered_map<std::uint64_t, Object> objects_;
  // Ascending, as addresses grow; freed objects stay until the region is closed.
  std::unordered_map<proto::NodeId, std::vector<std::uint64_t>, deps::NodeIdHash> regions_;
};

}  // namespace myr::cluster::sim
