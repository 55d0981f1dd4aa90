// SPDX-License-Identifier: Apache-2.0
#include "micro/sim_store.hpp"

namespace myr::bench {

using proto::NodeId;
using sched::ByteRange;

namespace {

constexpr std::uint64_t kGranule = 64;  // objects are whole slots, as in paper 2

}  // namespace

bool SimStore::open(NodeId region) {
  regions_[region];
  return true;
}

void SimStore::close(NodeId region) {
  for (const std::uint64_t object : regions_.at(region)) objects_.erase(object);
  regions_.erase(region);
}

bool SimStore::reserve(std::uint64_t bytes) {
  if (end_address_ - next_address_ >= bytes) return true;
  const std::uint64_t pages = bytes / proto::kPageBytes + 1;
  const std::optional<proto::PageRun> run = supply_->take(pages);
  if (!run) return false;
  const std::uint64_t first_address = run->first * proto::kPageBytes;
  if (first_address != end_address_) next_address_ = first_address;
  end_address_ = run->end() * proto::kPageBytes;
  return true;
}

std::vector<std::uint64_t> SimStore::allocate(NodeId region, std::uint64_t bytes,
                                              std::uint64_t count) {
  const std::uint64_t rounded = (bytes + kGranule - 1) / kGranule * kGranule;
  if (!reserve(rounded * count)) return {};
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
  const auto found = objects_.find(object);
  return {.address = object, .bytes = found == objects_.end() ? 0 : found->second.bytes};
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

cluster::sim::Memory without_bytes() {
  // Zero is not an address.
  return {.make_store = [](std::uint32_t) { return std::make_unique<SimStore>(); },
          .pages = {.first = 1, .count = std::uint64_t{1} << 38}};
}

}  // namespace myr::bench
