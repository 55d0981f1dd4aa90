// SPDX-License-Identifier: Apache-2.0
//
// CoreCopies: application memory as one core sees it whose caches are not coherent, for cores that
// are threads. What a task writes stays in the core's copies until flush(); what they hold hides
// what others have written since, until invalidate(). There is room for all.
//
// Tasks are native functions, so their loads and stores are not seen; what they may use is
// declared. So the bytes are exchanged around a task: begin() puts the core's copies in place of
// what memory has, end() takes the task's view out and puts back what memory had.
//
// While nothing is left out, begin() finds no copies and writes nothing, so tasks on several
// threads may read the same memory; nobody else uses what a task writes until it is flushed.
//
// Threads: the core's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/sim/scc/core_memory.hpp"

namespace myr::cluster::master {

class CoreCopies {
 public:
  using Extent = transport::sim::scc::Extent;

  // The task, which may use these, sees from now on what the core would.
  void begin(const std::vector<Extent>& extents);
  // Its body has returned.
  void end();
  // Writes back what was written. The copies stay.
  void flush();
  void invalidate() noexcept {
    copies_.clear();
    bytes_.clear();
  }

 private:
  // Some bytes of memory as they were or are to be.
  struct Copy {
    std::uint64_t begin;
    std::uint64_t end;
    std::size_t place;      // in the vector with their bytes
    bool is_dirty = false;  // memory has not got them
  };

  std::vector<Copy> copies_;  // newer ones, which are behind, hide older ones
  std::vector<std::byte> bytes_;
  // The running task's.
  std::vector<Extent> extents_;
  std::vector<Copy> hidden_;  // what memory had
  std::vector<std::byte> hidden_bytes_;
};

}  // namespace myr::cluster::master
