// SPDX-License-Identifier: Apache-2.0
//
// The memory of one simulated scheduler's regions: addresses without bytes behind them, in pages
// that schedulers trade. Objects take far more addresses than they have words, so that pages are
// scarce. Freed addresses are used again at once, so that an agent that mistakes an old object for
// a new one is found.
#pragma once

#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sched/environment.hpp"

namespace myr::sim_test {

class FakeStore final : public sched::Store {
 public:
  // `ballast_pages`: taken at once, for nothing but to be let go of later.
  explicit FakeStore(std::uint64_t ballast_pages) : ballast_{.count = ballast_pages} {}

  void start(sched::PageSupply& supply) override {
    supply_ = &supply;
    if (ballast_.count != 0) ballast_ = supply.take(ballast_.count).value();
  }
  void let_go(std::uint64_t pages) {
    supply_->give({.first = ballast_.first, .count = pages});
    ballast_ = {.first = ballast_.first + pages, .count = ballast_.count - pages};
  }
  // Each region has a page from the start.
  bool open(proto::NodeId region) override {
    const auto run = supply_->take(1);
    if (!run) return false;
    regions_[region].runs.emplace(run->first, Run{.count = run->count});
    return true;
  }
  void close(proto::NodeId region) override {
    const std::set<std::uint64_t> objects = regions_.at(region).objects;
    for (const std::uint64_t object : objects) free(object);
    for (const auto& [first, run] : regions_.at(region).runs) {
      supply_->give({.first = first, .count = run.count});
    }
    regions_.erase(region);
  }
  std::vector<std::uint64_t> allocate(proto::NodeId region, std::uint64_t bytes,
                                      std::uint64_t count) override {
    std::vector<std::uint64_t> addresses;
    while (addresses.size() < count) {
      const auto address = allocate_one(region, bytes * kStretch);
      if (address) {
        addresses.push_back(*address);
        continue;
      }
      for (const std::uint64_t object : addresses) free(object);
      return {};
    }
    return addresses;
  }
  void free(std::uint64_t object) override {
    Region& region = regions_.at(objects_.at(object).region);
    const auto run = std::prev(region.runs.upper_bound(object / proto::kPageBytes));
    region.free[objects_.at(object).bytes].push_back(object);
    region.objects.erase(object);
    objects_.erase(object);
    run->second.object_count -= 1;
    if (run->second.object_count == 0 && region.runs.size() > kIdleRunsMax) drop(region, run);
  }
  void trim() override {
    for (auto& [id, region] : regions_) {
      for (auto run = region.runs.begin(); run != region.runs.end();) {
        const auto next = std::next(run);
        if (run->second.object_count == 0) drop(region, run);
        run = next;
      }
    }
  }
  std::optional<proto::NodeId> region_of(std::uint64_t object) const override {
    const auto found = objects_.find(object);
    if (found == objects_.end()) return {};
    return found->second.region;
  }
  sched::ByteRange range_of(std::uint64_t object) const override {
    const auto found = objects_.find(object);
    return {.address = object, .bytes = found == objects_.end() ? 0 : found->second.bytes};
  }
  std::vector<sched::ByteRange> pack(proto::NodeId region) const override {
    std::vector<sched::ByteRange> ranges;
    for (const std::uint64_t object : regions_.at(region).objects) {
      const std::uint64_t bytes = objects_.at(object).bytes;
      if (!ranges.empty() && ranges.back().address + ranges.back().bytes == object) {
        ranges.back().bytes += bytes;
      } else {
        ranges.push_back({.address = object, .bytes = bytes});
      }
    }
    return ranges;
  }

 private:
  struct Object {
    proto::NodeId region;
    std::uint64_t bytes;
  };
  // Pages side by side; objects are put one behind the other.
  struct Run {
    std::uint64_t count = 0;
    std::uint64_t used_bytes = 0;
    std::uint64_t object_count = 0;
  };
  using Runs = std::map<std::uint64_t, Run>;  // by first page
  struct Region {
    std::set<std::uint64_t> objects;
    Runs runs;
    std::map<std::uint64_t, std::vector<std::uint64_t>> free;  // by size
  };
  static constexpr std::uint64_t kGranule = 64;
  static constexpr std::uint64_t kStretch = 512;
  static constexpr std::size_t kIdleRunsMax = 2;

  std::optional<std::uint64_t> allocate_one(proto::NodeId id, std::uint64_t bytes) {
    const std::uint64_t rounded = (bytes + kGranule - 1) / kGranule * kGranule;
    Region& region = regions_.at(id);
    const auto address = take_slot(region, rounded);
    if (!address) return {};
    std::prev(region.runs.upper_bound(*address / proto::kPageBytes))->second.object_count += 1;
    objects_[*address] = {.region = id, .bytes = rounded};
    region.objects.insert(*address);
    return address;
  }
  std::optional<std::uint64_t> take_slot(Region& region, std::uint64_t bytes) {
    std::vector<std::uint64_t>& old = region.free[bytes];
    if (!old.empty()) {
      const std::uint64_t address = old.back();
      old.pop_back();
      return address;
    }
    for (auto& [first, run] : region.runs) {
      if (run.count * proto::kPageBytes - run.used_bytes >= bytes)
        return put_behind(first, run, bytes);
    }
    const auto pages = supply_->take((bytes + proto::kPageBytes - 1) / proto::kPageBytes);
    if (!pages) return {};
    Run& run = region.runs.emplace(pages->first, Run{.count = pages->count}).first->second;
    return put_behind(pages->first, run, bytes);
  }
  static std::uint64_t put_behind(std::uint64_t first_page, Run& run, std::uint64_t bytes) {
    const std::uint64_t address = first_page * proto::kPageBytes + run.used_bytes;
    run.used_bytes += bytes;
    return address;
  }
  void drop(Region& region, Runs::iterator dropped) {
    const proto::PageRun pages{.first = dropped->first, .count = dropped->second.count};
    for (auto& [bytes, slots] : region.free) {
      std::erase_if(slots, [&](std::uint64_t slot) {
        const std::uint64_t page = slot / proto::kPageBytes;
        return page >= pages.first && page < pages.end();
      });
    }
    region.runs.erase(dropped);
    supply_->give(pages);
  }

  sched::PageSupply* supply_ = nullptr;
  proto::PageRun ballast_;
  std::map<std::uint64_t, Object> objects_;
  std::map<proto::NodeId, Region> regions_;
};

}  // namespace myr::sim_test
