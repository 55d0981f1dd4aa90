// SPDX-License-Identifier: Apache-2.0
//
// Names of the nodes of the dependency tree, and the way of an access through it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/small_vector.hpp"

namespace myr::deps {

// A region or an object. Objects are named by their address, which keeps the top bit clear.
struct NodeId {
  std::uint64_t bits = 0;

  [[nodiscard]] static constexpr NodeId region(std::uint64_t id) noexcept {
    return {id | kRegionBit};
  }
  [[nodiscard]] static constexpr NodeId object(std::uint64_t address) noexcept { return {address}; }

  [[nodiscard]] constexpr bool is_region() const noexcept { return (bits & kRegionBit) != 0; }
  // The number that region() or object() was given.
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return bits & ~kRegionBit; }
  friend constexpr auto operator<=>(NodeId, NodeId) = default;

 private:
  static constexpr std::uint64_t kRegionBit = std::uint64_t{1} << 63;
};

struct NodeIdHash {
  [[nodiscard]] std::size_t operator()(NodeId id) const noexcept {
    return static_cast<std::size_t>(id.bits * 0x9E3779B97F4A7C15ULL >> 20);
  }
};

using TaskId = std::uint64_t;

enum class Mode : std::uint8_t { Read, Write };

// One access of one task. Some use only a part of an object. Others, which know the bytes, keep
// children of one task that do so in order, so these do not wait for each other here.
struct Use {
  static constexpr TaskId kWhole = ~TaskId{0};

  TaskId task = 0;
  Mode mode = Mode::Read;
  // It only sends accesses of its own through the target, which need not be idle below for that.
  bool passes = false;
  // The task's parent, if it uses a part.
  TaskId parts_of = kWhole;

  [[nodiscard]] bool is_part() const noexcept { return parts_of != kWhole; }
  friend bool operator==(const Use&, const Use&) = default;
};

// Nodes from somewhere down to the target of an access, each the parent of the next. Never empty.
using Path = base::SmallVector<NodeId, 3>;

// The way of an access, or of several accesses of one task that differ only in their last nodes.
struct Ways {
  base::SmallVector<NodeId, 6> nodes;  // down to the targets, which are the last ones
  std::uint32_t count = 1;

  [[nodiscard]] std::size_t size() const noexcept { return nodes.size(); }
  [[nodiscard]] bool ends_here() const noexcept { return nodes.size() == count; }
  [[nodiscard]] NodeId first() const noexcept { return nodes.front(); }
  [[nodiscard]] std::span<const NodeId> targets() const noexcept {
    return {nodes.end() - count, nodes.end()};
  }
};

// How many accesses of each mode.
struct Counts {
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;

  [[nodiscard]] std::uint32_t& of(Mode mode) noexcept {
    return mode == Mode::Read ? reads : writes;
  }
  [[nodiscard]] bool none() const noexcept { return reads == 0 && writes == 0; }
  friend bool operator==(const Counts&, const Counts&) = default;
};

}  // namespace myr::deps
