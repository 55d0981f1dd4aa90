// SPDX-License-Identifier: Apache-2.0
//
// SimStore: the memory of one simulated scheduler's regions where tasks are scripts: addresses
// without bytes behind them. They are never used again; there are enough of them.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "cluster/sim/machine.hpp"
#include "sched/environment.hpp"

namespace myr::bench {

class SimStore final : public sched::Store {
 public:
  void start(sched::PageSupply& supply) override { supply_ = &supply; }
  [[nodiscard]] bool open(proto::NodeId region) override;
  void close(proto::NodeId region) override;
  [[nodiscard]] std::vector<std::uint64_t> allocate(proto::NodeId region, std::uint64_t bytes,
                                                    std::uint64_t count) override;
  void free(std::uint64_t object) override;
  void trim() override {}
  [[nodiscard]] std::optional<proto::NodeId> region_of(std::uint64_t object) const override;
  [[nodiscard]] sched::ByteRange range_of(std::uint64_t object) const override;
  [[nodiscard]] std::vector<sched::ByteRange> pack(proto::NodeId region) const override;

 private:
  struct Object {
    proto::NodeId region;
    std::uint64_t bytes;
  };

  // Takes pages until there are so many bytes side by side; false: no pages.
  [[nodiscard]] bool reserve(std::uint64_t bytes);

  sched::PageSupply* supply_ = nullptr;
  std::uint64_t next_address_ = 0;
  std::uint64_t end_address_ = 0;
  std::unordered_map<std::uint64_t, Object> objects_;
  // Ascending, as addresses grow; freed objects stay until the region is closed.
  std::unordered_map<proto::NodeId, std::vector<std::uint64_t>, deps::NodeIdHash> regions_;
};

// For all schedulers, more than any program takes.
[[nodiscard]] cluster::sim::Memory without_bytes();

}  // namespace myr::bench
