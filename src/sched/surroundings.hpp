// SPDX-License-Identifier: Apache-2.0
//
// What a scheduler needs of the world: a way out for messages, and memory for the regions that it
// owns. Implemented where there are channels and a heap; by tests, too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proto/messages.hpp"

namespace myr::sched {

using proto::NodeId;

enum class Misuse : std::uint8_t {
  NotHeld,         // an access that the parent's accesses do not cover
  ReadOnly,        // a write to what the parent only reads
  NoSuchNode,      // a region or an object that does not exist
  FreedWhileUsed,  // tasks spawned after the free use the region
};

class Surroundings {
 public:
  Surroundings() = default;
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  // Puts a message on its way. Never blocks, never calls back.
  virtual void send(proto::Message message) = 0;
  // The user's mistake: ends the program with a message. `program`: of the task, as in proto::Task.
  virtual void misuse(Misuse kind, std::uint64_t program, const proto::Access& access) = 0;

 protected:
  ~Surroundings() = default;
};

struct ByteRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// The memory of the regions that one scheduler owns.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  virtual void open(NodeId region) = 0;
  // Frees all its objects.
  virtual void close(NodeId region) = 0;
  // None: no memory.
  [[nodiscard]] virtual std::vector<std::uint64_t> allocate(NodeId region, std::uint64_t bytes,
                                                            std::uint64_t count) = 0;
  virtual void free(std::uint64_t object) = 0;
  // The region of an object that starts at the address; none: there is no such object here.
  [[nodiscard]] virtual std::optional<NodeId> region_of(std::uint64_t object) const = 0;
  [[nodiscard]] virtual ByteRange range_of(std::uint64_t object) const = 0;
  // What the region itself holds, ascending, without gaps between neighbours.
  [[nodiscard]] virtual std::vector<ByteRange> pack(NodeId region) const = 0;
  // Which agent below, or this one, has the address; kNoAgent: none of them.
  [[nodiscard]] virtual proto::AgentId holder(std::uint64_t address) const = 0;

 protected:
  ~Store() = default;
};

}  // namespace myr::sched
