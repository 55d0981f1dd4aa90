// SPDX-License-Identifier: Apache-2.0
#include "cluster/declare.hpp"

#include <string>
#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "mem/heap.hpp"
#include "proto/ids.hpp"

namespace myr::cluster {

using mem::Heap;
using proto::NodeId;

namespace {

[[noreturn]] MYR_COLD void reject(const Declaring& declaring, const myr_access& access,
                                  const std::string& why) {
  base::misuse(declaring.site,
               base::format("{} with {}: {}", declaring.call, base::describe(access), why));
}

std::uint64_t begin_of(const myr_access& access) {
  return reinterpret_cast<std::uintptr_t>(access.address);
}

bool holds_a_region(UserTask& holder) {
  for (std::uint32_t i = 0; i < holder.access_count(); ++i) {
    const unsigned flags = holder.accesses()[i].flags;
    if ((flags & MYR_VALUE) == 0 && (flags & MYR_REGION) != 0) return true;
  }
  return false;
}

proto::Access access_to(NodeId node, const myr_access& access) {
  return {.node = node,
          .mode = mode_of(access),
          .transfers = (access.flags & MYR_NOTRANSFER) == 0,
          .is_weak = (access.flags & MYR_WEAK) != 0,
          .path = {}};
}

// What a container has moved meanwhile is no mistake.
bool is_forgotten(const Declaring& declaring, myr_access& access) {
  if ((access.flags & MYR_HELD) == 0) return false;
  bool is_good = base::fits_memory(access);
  ByteCover::Answer least = ByteCover::Answer::Apart;
  if (Heap::contains(access.address)) {
    const mem::Range object = Heap::find_object(access.address);
    is_good = object.first != nullptr &&
              begin_of(access) + access.bytes <=
                  reinterpret_cast<std::uintptr_t>(object.first) + object.bytes;
    if (!holds_a_region(declaring.holder)) least = ByteCover::Answer::Inside;
  }
  if (is_good && !declaring.holder.is_main()) {
    const ByteCover::Answer answer = declaring.holder.cover(access);
    is_good = answer == ByteCover::Answer::Inside || answer == least;
  }
  if (is_good) return false;
  access = myr_pointer(nullptr);
  return true;
}

// An object, or part of one.
void declare_in_heap(const Declaring& declaring, myr_access& access, proto::Task& task) {
  mem::Range object{};
  if (access.bytes == 0 || (access.flags & MYR_WHOLE) != 0) {
    const std::size_t bytes = Heap::object_bytes(access.address);
    if (bytes != 0) {
      object = {.first = static_cast<std::byte*>(access.address), .bytes = bytes};
      access.bytes = bytes;
    }
  }
  if (object.first == nullptr) {
    object = access.bytes == 0 ? mem::Range{} : Heap::find_object(access.address);
    if (object.first == nullptr) reject(declaring, access, base::kNoLiveObject);
    if (begin_of(access) + access.bytes >
        reinterpret_cast<std::uintptr_t>(object.first) + object.bytes) {
      reject(declaring, access, base::kPastTheEnd);
    }
  }
  if (!declaring.holder.is_main()) {
    const bool is_inside = declaring.holder.cover(access) == ByteCover::Answer::Inside;
    if (!is_inside && !holds_a_region(declaring.holder)) {
      reject(declaring, access, base::outside_footprint(declaring.holder.footprint()));
    }
  }
  const auto first = reinterpret_cast<std::uintptr_t>(object.first);
  proto::Access known = access_to(NodeId::object(first), access);
  known.is_read = (access.flags & MYR_IN) != 0;
  known.is_part = access.bytes != object.bytes;
  if (known.is_part) {
    task.ranges.push_back({.address = begin_of(access), .bytes = access.bytes, .mode = known.mode});
  }
  task.accesses.push_back(std::move(known));
}

void declare_unmanaged(const Declaring& declaring, const myr_access& access, proto::Task& task) {
  if (access.bytes == 0) reject(declaring, access, base::kNotAllocated);
  if (!base::fits_memory(access)) reject(declaring, access, base::kTooLong);
  if (!declaring.holder.is_main() &&
      declaring.holder.cover(access) == ByteCover::Answer::Overlaps) {
    reject(declaring, access, base::outside_footprint(declaring.holder.footprint()));
  }
  task.ranges.push_back({.address = begin_of(access),
                         .bytes = access.bytes,
                         .mode = mode_of(access),
                         .is_weak = (access.flags & MYR_WEAK) != 0});
}

}  // namespace

bool to_region(const sched::Topology& topology, myr_region id, NodeId& region) {
  region = NodeId::region(id);
  const proto::AgentId owner = proto::owner_of_region(region);
  return owner < topology.agent_count() && !topology.is_worker(owner);
}

void declare(const Declaring& declaring, myr_access& access, proto::Task& task) {
  if (!base::has_meaning(access.flags)) {
    reject(declaring, access, base::unknown_mode(access));
  }
  if ((access.flags & MYR_VALUE) != 0) return;
  if ((access.flags & MYR_REGION) != 0) {
    NodeId region;
    if (!to_region(declaring.topology, access.region, region)) {
      reject(declaring, access, base::kNoSuchRegion);
    }
    task.accesses.push_back(access_to(region, access));
  } else if (access.address == nullptr) {
    if ((access.flags & MYR_MAYBE) == 0) reject(declaring, access, base::kNull);
  } else if (is_forgotten(declaring, access)) {
    return;
  } else if (Heap::contains(access.address)) {
    declare_in_heap(declaring, access, task);
  } else {
    declare_unmanaged(declaring, access, task);
  }
}

}  // namespace myr::cluster
