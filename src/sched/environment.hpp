// SPDX-License-Identifier: Apache-2.0
//
// What a scheduler needs of the world: a way out for messages, and memory for the regions that it
// owns. Implemented where there are channels and a heap; by tests, too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proto/messages.hpp"

namespace myr::sched {

using proto::NodeId;

enum class Misuse : std::uint8_t {
  NotHeld,         // an access that the parent's accesses do not cover
  ReadOnly,        // a write to what the parent only reads
  NoSuchNode,      // a region or an object that does not exist
  NotInRegion,     // an object that is not in the region that a loop's window names
  PastTheEnd,      // a part of an object that reaches further than the object
  FreedWhileUsed,  // tasks spawned after the free use the node, or the parent holds it
  LocalsInUse,     // the task uses local variables of its parent, whose body has ended
};

class Environment {
 public:
  Environment() = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Puts a message on its way. Never blocks, never calls back.
  virtual void send(proto::Message message) = 0;
  // The user's mistake: ends the program with a message. `program`: the task's, as in proto::Task.
  virtual void misuse(Misuse kind, std::uint64_t program, const proto::Access& access) = 0;
  // The scheduler is about to handle a message, from others or from itself. For simulated time.
  virtual void handling(const proto::Body& /*message*/) {}
  // The same: it has looked for the ways to nodes in so many regions, and to so many more of them.
  virtual void found_ways(std::uint32_t /*regions*/, std::uint32_t /*more*/) {}

 protected:
  ~Environment() = default;
};

struct ByteRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// Where a store takes pages for its regions, and leaves those that it no longer needs.
class PageSupply {
 public:
  PageSupply() = default;
  PageSupply(const PageSupply&) = delete;
  PageSupply& operator=(const PageSupply&) = delete;

  // `count` pages side by side; none: there are none here now.
  [[nodiscard]] virtual std::optional<proto::PageRun> take(std::uint64_t count) = 0;
  // Any part of what was taken.
  virtual void give(proto::PageRun run) = 0;

 protected:
  ~PageSupply() = default;
};

// The memory of the regions that one scheduler owns.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  // Before everything else. The supply is gone when the store is destroyed.
  virtual void start(PageSupply& supply) = 0;
  // The number in the id of the next region that `owner` opens, in `parent`; no number twice.
  // Nothing: there are too many regions.
  [[nodiscard]] virtual std::optional<std::uint64_t> new_serial(proto::AgentId /*owner*/,
                                                                NodeId /*parent*/) {
    return next_serial_++;
  }
  // False: the supply was out of pages; the number is lost.
  [[nodiscard]] virtual bool open(NodeId region) = 0;
  // Frees all its objects.
  virtual void close(NodeId region) = 0;
  // All or, when the supply was out of pages, none.
  [[nodiscard]] virtual std::vector<std::uint64_t> allocate(NodeId region, std::uint64_t bytes,
                                                            std::uint64_t count) = 0;
  // Or nothing: see region_of().
  virtual void free(std::uint64_t object) = 0;
  // Gives the supply all pages without objects in them.
  virtual void trim() = 0;
  // The region of an object that starts at the address; none: there is no such object here. Where
  // workers share memory, they may free one, or its region, before a message about it has come.
  [[nodiscard]] virtual std::optional<NodeId> region_of(std::uint64_t object) const = 0;
  // Where the object around the address begins, if not at it; none: there is no such object here.
  [[nodiscard]] virtual std::optional<std::uint64_t> start_of(std::uint64_t /*address*/) const {
    return {};
  }
  // What another process has to know in order to find the object around the address, and others
  // near it; empty: it needs nothing, or there is none.
  [[nodiscard]] virtual std::vector<std::byte> describe(std::uint64_t /*address*/) const {
    return {};
  }
  // Up to `count` indices, for regions that a worker makes for this store; see RegionTree::lend().
  [[nodiscard]] virtual std::vector<std::uint64_t> lend_indices(std::uint64_t /*count*/) {
    return {};
  }
  // Such a region is this store's from now on, with what is in it. `memory` begins with what its
  // maker's store said of it; that is taken off.
  virtual void take_over(const proto::MadeRegion& /*region*/,
                         std::span<const std::byte>& /*memory*/) {}
  // No bytes: there is no such object.
  [[nodiscard]] virtual ByteRange range_of(std::uint64_t object) const = 0;
  // What the region itself holds, ascending, without gaps between neighbours.
  [[nodiscard]] virtual std::vector<ByteRange> pack(NodeId region) const = 0;

 private:
  std::uint64_t next_serial_ = 0;
};

}  // namespace myr::sched
