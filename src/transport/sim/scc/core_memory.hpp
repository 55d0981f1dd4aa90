// SPDX-License-Identifier: Apache-2.0
//
// CoreMemory: application memory as one core of the chip sees it: through its own caches, which are
// not coherent. What a task writes stays in the core's second cache, and what lies there hides what
// others have written since, until somebody flushes and invalidates.
//
// The memory of this process is the chip's. The task is a native function, so its loads and stores
// are not seen; what it may use is declared, and is all that caches are about. Before it runs,
// begin() puts the bytes of the core's cache in place of those in memory; after it, end() takes
// what the cache would still hold out of memory again. In between, traffic() goes through the
// caches line by line, and says what that asks of the memory controllers. For a core that is alone,
// traffic() is enough: nobody else could see what it holds.
//
// A second cache takes lines in when they are read; a line that is written and is not there goes
// to memory. Bytes of a line that nobody has declared are left alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/sim/scc/cache.hpp"

namespace myr::transport::sim::scc {

// Bytes that a task may use.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool writes = false;
  bool reads = true;
};

// Lines that a core asks of a controller one after the other, and what it does in between.
struct Burst {
  std::uint32_t lines = 0;
  std::uint8_t controller = 0;
  std::uint32_t visited = 0;  // lines of its footprint, wherever they were
  Cycles stalls = 0;          // for the second cache
};

// A core's way through the bursts of a task, or of a flush: behind each it computes its share of
// the work, by lines.
class BurstWalk {
 public:
  BurstWalk() = default;
  BurstWalk(std::vector<Burst> bursts, Cycles work);

  [[nodiscard]] bool is_over() const noexcept { return next_ == bursts_.size(); }
  // Begins the next burst now; returns when it is over. REQUIRES: !is_over().
  [[nodiscard]] Cycles step(CoreNumber core, Controllers& controllers, Cycles now);
  // What is left to compute behind the last one.
  [[nodiscard]] Cycles work_left() const noexcept { return work_left_; }

 private:
  std::vector<Burst> bursts_;
  std::size_t next_ = 0;
  std::uint64_t lines_left_ = 0;
  Cycles work_left_ = 0;
};

class CoreMemory {
 public:
  // The most lines of a burst, which is served without others in between.
  static constexpr std::uint32_t kBurstMax = 64;

  explicit CoreMemory(const MemoryMap& map)
      : map_(map), first_(kFirstCacheBytes), second_(kSecondCacheBytes) {}

  // The task sees from now on what the core would. `extents`: in any order; they may overlap.
  void begin(std::vector<Extent> extents);
  // Goes through `bytes` bytes, line by line; appends what that costs.
  void traffic(std::uint64_t address, std::uint64_t bytes, bool writes, std::vector<Burst>& bursts);
  // The body has returned, and what it does with memory has gone through traffic().
  void end();

  // Writes back what was written; appends what that costs. The lines stay.
  void flush(std::vector<Burst>& bursts);
  // The same as this chip has to do it, which has no instruction for it: the core reads as many
  // lines of its own memory, which the controller has, as its second cache holds.
  void flush_by_reading(unsigned own_controller, std::vector<Burst>& bursts);
  // Forgets all lines.
  void invalidate() noexcept {
    first_.invalidate();
    second_.invalidate();
  }

 private:
  struct Held {
    Extent extent;
    std::size_t place;  // in saved_, of what was in memory; of written ones
  };
  struct Hidden {
    std::uint64_t line;
    std::uint32_t known;
    std::size_t place;
  };

  [[nodiscard]] std::size_t save(std::uint64_t begin, std::uint64_t end);
  void hide_memory();
  template <class Act>
  void for_held_in(const Cache::Line& line, Act act) const;
  void evict(Cache::Line& line);
  void keep(Cache::Line& line);
  void visit(std::uint64_t line, std::uint32_t bytes, bool writes, std::vector<Burst>& bursts);
  Burst& ask(std::uint64_t line, std::vector<Burst>& bursts);

  MemoryMap map_;
  Cache first_;  // its lines have no bytes: they are those of the second one
  Cache second_;
  std::vector<Held> held_;      // sorted, disjoint
  std::vector<Hidden> hidden_;  // lines of extents that are only read, behind bytes of the cache
  std::vector<std::byte> saved_;
};

}  // namespace myr::transport::sim::scc
