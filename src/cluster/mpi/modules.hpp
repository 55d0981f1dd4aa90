// SPDX-License-Identifier: Apache-2.0
//
// Modules: the program and its shared libraries, which are the same in all processes of a job, but
// lie at other addresses in each. What is in them, code and constants, is named by the module and
// the offset in it.
//
// Threads: any, once it is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace myr::cluster::mpi {

// The number of a module, from 1 on, and an offset; 0: no place in a module.
using PlaceInModule = std::uint64_t;

class Modules {
 public:
  // Those that the process has now. MPI is loaded later: parts of it may differ from rank to rank.
  Modules();

  [[nodiscard]] PlaceInModule place_of(const void* address) const noexcept;
  [[nodiscard]] const void* address_of(PlaceInModule place) const noexcept;
  // What the program's file has at that address.
  [[nodiscard]] const void* in_program(std::uint64_t address) const noexcept;
  [[nodiscard]] bool is_in_program(const void* address) const noexcept;
  // Is it in a part of a module that nobody writes? Then it is the same in all processes.
  [[nodiscard]] bool is_constant(const void* address) const noexcept;

  // For each module a line with its name and which build it is: in processes that can work
  // together, the same text.
  [[nodiscard]] const std::string& identity() const noexcept { return identity_; }

 private:
  struct Segment {
    std::uintptr_t first;
    std::uintptr_t end;
    std::uintptr_t base;  // of the module
    std::uint64_t module;
    bool is_constant;
  };
  [[nodiscard]] const Segment* segment_of(const void* address) const noexcept;

  std::vector<Segment> segments_;      // by address
  std::vector<std::uintptr_t> bases_;  // by number; 0 is none
  std::string identity_;
};

}  // namespace myr::cluster::mpi
